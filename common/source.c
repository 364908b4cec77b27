/* Each line goes through as it is, and in place of an #include goes the file's text. #if is not
 * looked at: a file may come twice, and guards itself as in C; but it never comes within itself. */
#include "source.h"

#include "fail.h"
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096 }; // room for that of a folder

struct source { // a file whose text is being put in place
    const char *name;
    const struct source *by; // the file that includes it
    unsigned line;           // that is being read
    char path[2 * PATH];
};

/* Beside the program, wherever it was called from. */
static const char *kernels_folder(void)
{
    static char path[PATH + 8];
    char program[PATH] = "";
    const char *folder = getenv("REDUCE_KERNELS");
    if (folder && *folder)
        return folder;
    (void)!readlink("/proc/self/exe", program, PATH - 1);
    snprintf(path, sizeof path, "%s/kernels", dirname(program));
    return path;
}

/* An included file stands beside the one that names it, as in C, or where the kernels are. */
static FILE *open_source(struct source *source)
{
    const struct source *by = source->by;
    const int beside = by ? (int)(strrchr(by->path, '/') + 1 - by->path) : 0;
    snprintf(source->path, sizeof source->path, "%.*s%s", beside, by ? by->path : "", source->name);
    if (by ? access(source->path, F_OK) != 0 : !strchr(source->name, '/'))
        snprintf(source->path, sizeof source->path, "%s/%s", kernels_folder(), source->name);

    struct stat about;
    if (stat(source->path, &about) == 0 && !S_ISREG(about.st_mode)) // a pipe might never end
        fail("%s is no ordinary file: is REDUCE_KERNELS or --kernel right?", source->path);
    FILE *from = fopen(source->path, "r");
    if (!from && by)
        fail("%s:%u: no file \"%s\" beside it, nor %s: %s: is the name right? REDUCE_KERNELS?",
             by->name, by->line, source->name, source->path, strerror(errno));
    if (!from)
        fail("no kernel file %s: %s: is REDUCE_KERNELS or --kernel right?", source->path,
             strerror(errno));
    return from;
}

/* By #line the compiler's messages name the right place. */
static void put_text(FILE *to, const char *name, const struct source *by)
{
    for (const struct source *outer = by; outer; outer = outer->by)
        if (strcmp(outer->name, name) == 0)
            return;
    struct source source = { .name = name, .by = by };
    FILE *from = open_source(&source);
    char *line = NULL, included[256];
    size_t room = 0;
    bool comment = false; // that goes on in the next line

    fprintf(to, "#line 1 \"%s\"\n", name);
    while (getline(&line, &room, from) >= 0) {
        int length = 0;
        source.line++;
        if (!comment)
            (void)sscanf(line, " # include \"%255[^\"\n]\"%n", included, &length);
        if (length > 0) {
            put_text(to, included, &source);
            fprintf(to, "\n#line %u \"%s\"\n", source.line, name);
        }
        comment = (comment || strstr(line, "/*")) && !strstr(line, "*/");
        fputs(line + length, to);
    }
    free(line);
    fclose(from);
}

char *source_text(const char *file)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to)
        put_text(to, file, NULL);
    if (!to || fclose(to) != 0)
        fail("the host has no memory left for the text of %s", file);
    return text;
}
