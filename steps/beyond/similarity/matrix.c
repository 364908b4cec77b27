/* A file may contain anything, so most of these functions check what they read. */
#include "matrix.h"

#include "fail.h"
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_BYTES_MAX = 1024 }; // the format forbids longer lines

#define WRONG(matrix, format, ...)                                                                 \
    fail("%s, line %u: " format, (matrix)->name, (matrix)->line, __VA_ARGS__)

/* Reads the next line, without its newline, up to a byte 0 or to its longest length: then it is not
 * valid. Returns false at the end of the file. */
static bool read_any_line(struct matrix *m, char line[LINE_BYTES_MAX + 1], bool *is_valid)
{
    int length = 0, c;
    // unlocked, because a file may have 10^9 bytes, and only this thread reads it
    while ((c = getc_unlocked(m->file)) != EOF && c != '\n' && c != '\0' && length < LINE_BYTES_MAX)
        line[length++] = (char)c;
    line[length] = '\0';
    *is_valid = c == '\n' || c == EOF;
    if (ferror(m->file))
        fail("%s: cannot be read: %s", m->name, strerror(errno));
    if (c == EOF && length == 0)
        return false;
    m->line++;
    return true;
}

static void require_valid_line(const struct matrix *m, bool is_valid)
{
    if (!is_valid)
        WRONG(m, "longer than %d characters, or not text: is this a Matrix Market file?",
              LINE_BYTES_MAX);
}

/* Reads the next line that is neither empty nor a comment. Returns false if the file has no such
 * line any more. */
static bool read_line(struct matrix *m, char line[LINE_BYTES_MAX + 1])
{
    bool is_valid;
    while (read_any_line(m, line, &is_valid)) {
        require_valid_line(m, is_valid);
        const char first = line[strspn(line, " \t\r")];
        if (first != '%' && first != '\0')
            return true;
    }
    return false;
}

/* Reads a whole number from 1 to `most`, and moves *line past the number. */
static bool read_index(char **line, uint64_t most, uint64_t *number)
{
    char *end;
    *line += strspn(*line, " \t");
    if (!isdigit((unsigned char)**line))
        return false;
    errno = 0;
    *number = strtoull(*line, &end, 10);
    const bool is_valid = !errno && *number >= 1 && *number <= most && (!*end || isspace(*end));
    *line = end;
    return is_valid;
}

static bool is_blank(const char *line) { return !line[strspn(line, " \t\r")]; }

/* Reads the first line, such as "%%MatrixMarket matrix coordinate real symmetric", in upper
 * or lower case. */
static void read_banner(struct matrix *m)
{
    static const char *const missing[] = { "form, array or coordinate", "field, real or integer",
                                           "symmetry, general or symmetric" };
    char line[LINE_BYTES_MAX + 1], form[20], field[20], symmetry[20];
    bool is_valid;
    (void)read_any_line(m, line, &is_valid); // an empty file does not begin as it must, either
    m->line = 1;
    if (strncmp(line, "\xEF\xBB\xBF", 3) == 0 || strncmp(line, "\xFF\xFE", 2) == 0 ||
        strncmp(line, "\xFE\xFF", 2) == 0)
        WRONG(m, "begins with a byte order mark: save the file as %s", "UTF-8 without that mark");
    const char *end = strchr(line, '\r');
    if (end && end[1])
        WRONG(m, "its lines end with a CR alone: save the file with %s", "LF or CR LF");
    for (char *c = line; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    int begins = 0; // the length of its first two words, if they are right
    (void)sscanf(line, "%%%%matrixmarket matrix%n", &begins);
    if (begins == 0 || !strchr(" \t\r", line[begins])) // strchr() finds the final '\0', too
        WRONG(m, "must begin with %s", "\"%%MatrixMarket matrix\": is this a Matrix Market file?");
    require_valid_line(m, is_valid);
    const int words = sscanf(line + begins, "%19s %19s %19s", form, field, symmetry);
    if (words < 3)
        WRONG(m, "its %s, is missing", missing[words > 0 ? words : 0]);
    m->is_coordinate = strcmp(form, "coordinate") == 0;
    m->is_symmetric = strcmp(symmetry, "symmetric") == 0;
    m->is_integer = strcmp(field, "integer") == 0;
    if (!m->is_coordinate && strcmp(form, "array") != 0)
        WRONG(m, "form '%s': must be array or coordinate", form);
    if (strcmp(field, "real") != 0 && !m->is_integer)
        WRONG(m, "field '%s': must be real or integer", field);
    if (!m->is_symmetric && strcmp(symmetry, "general") != 0)
        WRONG(m, "symmetry '%s': must be general or symmetric", symmetry);
}

/* Reads the numbers of rows and columns, and in a coordinate file also the number of entries. */
static void read_sizes(struct matrix *m)
{
    char line[LINE_BYTES_MAX + 1];
    char *at = line;
    uint64_t columns;
    const uint64_t most = UINT64_C(1) << 30;
    if (!read_line(m, line))
        WRONG(m, "the file ends before its %s", "sizes");
    if (!read_index(&at, most, &m->n) || !read_index(&at, most, &columns))
        WRONG(m, "'%.60s': must begin with rows and columns, from 1 to 2^30", line);
    if (m->n != columns)
        WRONG(m, "%" PRIu64 " rows and %" PRIu64 " columns: must be square", m->n, columns);
    const uint64_t cells = m->is_symmetric ? m->n * (m->n + 1) / 2 : m->n * m->n;
    m->entries = cells;
    if (m->is_coordinate && (!read_index(&at, cells, &m->entries) || !is_blank(at)))
        WRONG(m,
              "'%.60s': the third and last number must be that of the entries, from 1 to %" PRIu64,
              line, cells);
    if (!is_blank(at))
        WRONG(m, "'%.60s': in an array file, nothing may follow rows and columns", line);
}

struct matrix open_matrix(const char *name, uint64_t n)
{
    struct matrix matrix = { .name = name, .n = n };
    struct stat about;
    if (strcmp(name, "hilbert") == 0 || strcmp(name, "random") == 0)
        return matrix;
    if (stat(name, &about) != 0)
        fail("--matrix %s: neither hilbert nor random, nor a file: %s", name, strerror(errno));
    if (!S_ISREG(about.st_mode)) // a pipe might never end
        fail("--matrix %s: is not an ordinary file", name);
    matrix.file = fopen(name, "r");
    if (!matrix.file)
        fail("--matrix %s: %s", name, strerror(errno));
    read_banner(&matrix);
    read_sizes(&matrix);
    return matrix;
}

static float read_entry(const struct matrix *m, char *at, uint64_t row, uint64_t column)
{
    char *end;
    at += strspn(at, " \t");
    const double value = strtod(at, &end);
    const int length = (int)(end - at); // of the number in the text
    if (length == 0 || !is_blank(end) || strpbrk(at, "xX"))
        WRONG(m, "'%.40s': must be one number, for row %" PRIu64 ", column %" PRIu64, at, row,
              column);
    if (m->is_integer && strpbrk(at, ".eE"))
        WRONG(m, "'%.*s': must be a whole number, because line 1 says integer", length, at);
    if (!(fabs(value) <= FLT_MAX)) // NaN too
        WRONG(m,
              "row %" PRIu64 ", column %" PRIu64 " is %.*s: must be a number that a float can hold",
              row, column, length, at);
    const bool is_zero =
        strcspn(at, "123456789") >= strcspn(at, "eE"); // looks at the digits before the exponent
    if (signbit(value) && !is_zero)
        WRONG(m, "row %" PRIu64 ", column %" PRIu64 " is %.*s: must not be negative", row, column,
              length, at);
    if ((float)value == 0 && !is_zero)
        WRONG(m, "row %" PRIu64 ", column %" PRIu64 " is %.*s: too small for a float", row, column,
              length, at);
    return (float)value;
}

/* Sets a cell, and in a symmetric matrix also the mirrored cell. */
static void set_cell(struct matrix *m, uint64_t row, uint64_t column, float value)
{
    float *const cell = &m->cells[(row - 1) * m->n + column - 1];
    if (*cell >= 0)
        WRONG(m, "row %" PRIu64 ", column %" PRIu64 " occurs twice", row, column);
    *cell = value;
    if (m->is_symmetric)
        m->cells[(column - 1) * m->n + row - 1] = value;
}

static void read_entries(struct matrix *m)
{
    char line[LINE_BYTES_MAX + 1];
    uint64_t row = 1, column = 1; // an array file lists column after column
    for (uint64_t i = 0; i < m->n * m->n; i++)
        m->cells[i] = -1; // marks a cell that was not read yet
    for (uint64_t i = 0; i < m->entries; i++) {
        char *at = line;
        if (!read_line(m, line))
            WRONG(m, "the file ends after %" PRIu64 " of %" PRIu64 " entries", i, m->entries);
        if (m->is_coordinate && (!read_index(&at, m->n, &row) || !read_index(&at, m->n, &column)))
            WRONG(m,
                  "'%.40s': must be row, column and value, with row and column from 1 to %" PRIu64,
                  line, m->n);
        if (m->is_symmetric && row < column)
            WRONG(m, "row %" PRIu64 ", column %" PRIu64 ": a symmetric file has row >= column", row,
                  column);
        set_cell(m, row, column, read_entry(m, at, row, column));
        if (!m->is_coordinate && ++row > m->n)
            row = m->is_symmetric ? ++column : (column++, 1);
    }
    if (read_line(m, line))
        WRONG(m, "more than %" PRIu64 " entries", m->entries);
    for (uint64_t i = 0; i < m->n * m->n; i++)
        m->cells[i] = m->cells[i] < 0 ? 0 : m->cells[i];
    fclose(m->file);
}

/* Returns a number from 0 to 1, but never 1. It depends only on the place and the seed. */
static float hash_place(uint64_t i, uint32_t seed)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed * UINT64_C(0xd1342543de82ef95);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (float)(x >> 40) * 0x1p-24f;
}

/* The algorithm divides and multiplies by row sums, so all row sums must be positive floats. */
static void check_row_sums(const struct matrix *m)
{
    for (uint64_t row = 0; row < m->n; row++) {
        double sum = 0;
        for (uint64_t column = 0; column < m->n; column++)
            sum += m->cells[row * m->n + column];
        if (sum == 0)
            fail("%s: row %" PRIu64 " has only zeros, but the algorithm divides by its sum",
                 m->name, row + 1);
        if (sum < FLT_MIN || sum > FLT_MAX / 4)
            fail("%s: row %" PRIu64 " adds up to %g: must be from %g to %g, for floats", m->name,
                 row + 1, sum, (double)FLT_MIN, (double)FLT_MAX / 4);
    }
}

void fill_matrix(struct matrix *m, uint32_t seed)
{
    m->cells = allocate(m->n * m->n * sizeof *m->cells);
    if (m->file)
        read_entries(m);
    for (uint64_t row = 0; row < m->n && !m->file; row++)
        for (uint64_t column = 0; column < m->n; column++)
            m->cells[row * m->n + column] = strcmp(m->name, "hilbert") == 0
                                                ? 1 / (float)(row + column + 1)
                                                : hash_place(row * m->n + column, seed);
    check_row_sums(m);
}
