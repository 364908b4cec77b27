/* Control characters could make a text of the user look like a line of ours. They are those of
 * ASCII, and those from U+0080 to U+009F, which a terminal obeys, too. The set-up doctor, step 00,
 * uses this file and nothing else of common/, so this file includes no other header of ours. */
#pragma once

/* Returns the first byte of the first control character, or NULL if there is none. */
char *find_control_character(const char *text);

/* Writes a question mark over each byte of every control character. */
void replace_control_characters(char *text);
