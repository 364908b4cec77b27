/* Finds the files, reads them, and puts what they include in its place. #if is not looked at: a
 * file may come twice, and guards itself as in C; but it never comes within itself. */
#include "source.h"

#include "fail.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 8192, NAME = 256 }; // room for a path, and for a name between quotes

struct source { // a file whose text is being put in place
    const char *name;
    const struct source *by; // the file that includes it
    unsigned line;           // that is being read
    char path[PATH];
};

/* Beside the program, wherever it was called from; a path of its own is left alone. */
static void kernel_path(const char *file, char path[PATH])
{
    const char *folder = getenv("REDUCE_KERNELS");
    if (strchr(file, '/')) {
        snprintf(path, PATH, "%s", file);
    } else if (folder && *folder) {
        snprintf(path, PATH, "%s/%s", folder, file);
    } else {
        ssize_t length = readlink("/proc/self/exe", path, PATH - NAME);
        while (length > 0 && path[length - 1] != '/')
            length--;
        snprintf(path + (length > 0 ? length : 0), NAME, "kernels/%s", file);
    }
}

/* An included file stands beside the one that names it, as in C, or where the kernels are. */
static char *read_source(struct source *source)
{
    const struct source *by = source->by;
    const char *slash = by ? strrchr(by->path, '/') : NULL;
    if (slash)
        snprintf(source->path, PATH, "%.*s/%s", (int)(slash - by->path), by->path, source->name);
    if (!slash || access(source->path, F_OK) != 0)
        kernel_path(source->name, source->path);

    struct stat about = { .st_size = 0 };
    if (stat(source->path, &about) == 0 && !S_ISREG(about.st_mode)) // a pipe might never end
        fail("%s is no ordinary file: is REDUCE_KERNELS or --kernel right?", source->path);
    FILE *stream = fopen(source->path, "rb");
    if (!stream && by)
        fail("%s:%u: no file \"%s\" beside it, nor %s: %s: is the name right? REDUCE_KERNELS?",
             by->name, by->line, source->name, source->path, strerror(errno));
    if (!stream)
        fail("no kernel file %s: %s: is REDUCE_KERNELS or --kernel right?", source->path,
             strerror(errno));
    char *text = allocate((size_t)about.st_size + 1);
    (void)!fread(text, 1, (size_t)about.st_size, stream);
    if (ferror(stream))
        fail("cannot read the kernel file %s", source->path);
    fclose(stream);
    return text;
}

/* The length of #include "name" where a line begins with it, or 0. A comment has none, and may go
 * on in the next line. */
static int include_in(const char *line, bool *comment, char name[NAME])
{
    int length = 0;
    const char *p = line + strspn(line, " \t");
    if (*p == '#' && !*comment && sscanf(p, "# include \"%255[^\"\n]\"%n", name, &length) == 1)
        length += length > 0 ? (int)(p - line) : 0;
    for (p = line + length; *p && *p != '\n' && (*comment || strncmp(p, "//", 2) != 0); p++)
        if (strncmp(p, *comment ? "*/" : "/*", 2) == 0)
            *comment = !*comment, p++;
    return length;
}

static void append(char **text, const char *format, ...)
{
    size_t length = *text ? strlen(*text) : 0;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t more = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    *text = reallocate(*text, length + more);
    vsnprintf(*text + length, more, format, again);
    va_end(again);
    va_end(arguments);
}

/* By #line the compiler's messages name the right place. */
static void put_text(char **to, const char *name, const struct source *by)
{
    for (const struct source *outer = by; outer; outer = outer->by)
        if (strcmp(outer->name, name) == 0)
            return;
    struct source source = { .name = name, .by = by, .line = 1 };
    const char *label = strpbrk(name, "\"\\\n") ? "kernel" : name;
    char *text = read_source(&source), included[NAME];
    const char *rest = text; // what is not in its place yet
    bool comment = false;

    append(to, "#line 1 \"%s\"\n", label);
    for (const char *line = text, *end = text; end; line = end + 1, source.line++) {
        int length = include_in(line, &comment, included);
        if (length > 0) {
            append(to, "%.*s", (int)(line - rest), rest);
            put_text(to, included, &source);
            append(to, "\n#line %u \"%s\"\n", source.line, label);
            rest = line + length;
        }
        end = strchr(line, '\n');
    }
    append(to, "%s", rest);
    free(text);
}

char *source_text(const char *file)
{
    char *text = NULL;
    put_text(&text, file, NULL);
    return text;
}
