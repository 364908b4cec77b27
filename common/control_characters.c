#include "control_characters.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

char *find_control_character(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        const bool is_pair = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0; // in UTF-8
        if (is_pair || iscntrl(*at) || (*at >= 0x80 && *at < 0xA0))
            return (char *)at;
        int rest = *at < 0xC2 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3; // bytes of the same letter
        for (; rest > 0 && (at[1] & 0xC0) == 0x80; rest--)
            at++;
    }
    return NULL;
}

void replace_control_characters(char *text)
{
    // The second byte of a pair, which is alone after the first one has been replaced, is a control
    // character, too.
    while ((text = find_control_character(text)) != NULL)
        *text = '?';
}
