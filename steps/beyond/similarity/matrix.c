/* Reading is most of it: a file may hold anything, and each mistake has one line that names it. */
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

enum { LINE = 1024 }; // bytes of a line, at most: the format says so

#define WRONG(matrix, format, ...)                                                                 \
    fail("%s, line %u: " format, (matrix)->name, (matrix)->line, __VA_ARGS__)

/* The next line that is neither empty nor a comment, without its end. False: there is none. */
static bool next_line(struct matrix *m, char line[LINE + 2])
{
    while (fgets(line, LINE + 2, m->file)) {
        const size_t length = strcspn(line, "\n");
        m->line++;
        if (line[length] != '\n' && !feof(m->file)) // too long, or a byte 0 ends it
            WRONG(m, "more than %d characters, or no text: is this a Matrix Market file?", LINE);
        line[length] = '\0';
        if (line[0] != '%' && line[strspn(line, " \t\r")])
            return true;
    }
    if (ferror(m->file))
        fail("%s: cannot be read: %s", m->name, strerror(errno));
    return false;
}

/* A whole number from 1 to most, as the next word of a line. */
static bool next_number(char **line, uint64_t most, uint64_t *number)
{
    char *end;
    *line += strspn(*line, " \t");
    if (!isdigit((unsigned char)**line))
        return false;
    errno = 0;
    *number = strtoull(*line, &end, 10);
    const bool good = !errno && *number >= 1 && *number <= most && (!*end || isspace(*end));
    *line = end;
    return good;
}

static bool at_end(const char *line) { return !line[strspn(line, " \t\r")]; }

/* "%%MatrixMarket matrix coordinate real symmetric", in any case; then the sizes. */
static void read_head(struct matrix *m)
{
    char line[LINE + 2] = "", form[20], field[20], symmetry[20];
    char *at = line;
    uint64_t columns;
    const uint64_t most = UINT64_C(1) << 30;
    m->line = 1;
    if (!fgets(line, sizeof line, m->file) && ferror(m->file))
        fail("%s: cannot be read: %s", m->name, strerror(errno));
    for (char *c = line; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (sscanf(line, "%%%%matrixmarket matrix %19s %19s %19s", form, field, symmetry) != 3)
        WRONG(m, "must begin with %s", "\"%%MatrixMarket matrix\": is this a Matrix Market file?");
    m->coordinate = strcmp(form, "coordinate") == 0;
    m->symmetric = strcmp(symmetry, "symmetric") == 0;
    if (!m->coordinate && strcmp(form, "array") != 0)
        WRONG(m, "form %s: must be array or coordinate", form);
    if (strcmp(field, "real") != 0 && strcmp(field, "integer") != 0)
        WRONG(m, "field %s: must be real or integer", field);
    if (!m->symmetric && strcmp(symmetry, "general") != 0)
        WRONG(m, "symmetry %s: must be general or symmetric", symmetry);
    if (!next_line(m, line))
        WRONG(m, "the file ends before its %s", "sizes");
    if (!next_number(&at, most, &m->n) || !next_number(&at, most, &columns))
        WRONG(m, "\"%.60s\": must begin with rows and columns, from 1 to 2^30", line);
    if (m->n != columns)
        WRONG(m, "%" PRIu64 " rows and %" PRIu64 " columns: must be square", m->n, columns);
    m->entries = m->symmetric ? m->n * (m->n + 1) / 2 : m->n * m->n;
    if (m->coordinate && (!next_number(&at, m->entries, &m->entries) || !at_end(at)))
        WRONG(m, "\"%.60s\": the number of entries must come third, at most %" PRIu64, line,
              m->entries);
    if (!at_end(at))
        WRONG(m, "\"%.60s\": rows and columns, and no more, in an array", line);
}

struct matrix matrix_open(const char *name, uint64_t n)
{
    struct matrix matrix = { .name = name, .n = n };
    struct stat about;
    if (strcmp(name, "hilbert") == 0 || strcmp(name, "random") == 0)
        return matrix;
    if (stat(name, &about) != 0)
        fail("--matrix %s: neither hilbert nor random, nor a file: %s", name, strerror(errno));
    if (!S_ISREG(about.st_mode)) // a pipe might never end
        fail("--matrix %s: is no ordinary file", name);
    matrix.file = fopen(name, "r");
    if (!matrix.file)
        fail("--matrix %s: %s", name, strerror(errno));
    read_head(&matrix);
    return matrix;
}

static float entry(const struct matrix *m, char *at, uint64_t row, uint64_t column)
{
    char *end;
    errno = 0;
    const double value = strtod(at, &end);
    if (end == at || !at_end(end) || strpbrk(at, "xX"))
        WRONG(m, "\"%.40s\": must be one number, for row %" PRIu64 ", column %" PRIu64, at, row,
              column);
    if (!(fabs(value) <= FLT_MAX)) // NaN too
        WRONG(m,
              "row %" PRIu64 ", column %" PRIu64 " is %g: must be a number that a float can hold",
              row, column, value);
    if (value < 0 || (signbit(value) && errno == ERANGE)) // or too near to 0 for a double
        WRONG(m, "row %" PRIu64 ", column %" PRIu64 " is %g: must not be negative", row, column,
              value);
    return (float)value;
}

/* The cell, and where the matrix is symmetric its mirror image. */
static void put(struct matrix *m, uint64_t row, uint64_t column, float value)
{
    float *const cell = &m->cells[(row - 1) * m->n + column - 1];
    if (*cell >= 0)
        WRONG(m, "row %" PRIu64 ", column %" PRIu64 " comes a second time", row, column);
    *cell = value;
    if (m->symmetric)
        m->cells[(column - 1) * m->n + row - 1] = value;
}

static void read_entries(struct matrix *m)
{
    char line[LINE + 2];
    uint64_t row = 1, column = 1; // an array goes down its columns
    for (uint64_t i = 0; i < m->n * m->n; i++)
        m->cells[i] = -1; // not there yet
    for (uint64_t i = 0; i < m->entries; i++) {
        char *at = line;
        if (!next_line(m, line))
            WRONG(m, "the file ends after %" PRIu64 " of %" PRIu64 " entries", i, m->entries);
        if (m->coordinate && (!next_number(&at, m->n, &row) || !next_number(&at, m->n, &column)))
            WRONG(m, "\"%.40s\": must be row, column, value, from 1 to %" PRIu64, line, m->n);
        if (m->symmetric && row < column)
            WRONG(m, "row %" PRIu64 ", column %" PRIu64 ": a symmetric file has row >= column", row,
                  column);
        put(m, row, column, entry(m, at, row, column));
        if (!m->coordinate && ++row > m->n)
            row = m->symmetric ? ++column : (column++, 1);
    }
    if (next_line(m, line))
        WRONG(m, "more than %" PRIu64 " entries", m->entries);
    for (uint64_t i = 0; i < m->n * m->n; i++)
        m->cells[i] = m->cells[i] < 0 ? 0 : m->cells[i];
    fclose(m->file);
}

/* Of its place alone: the same on every machine. From 0 to 1, without 1. */
static float uniform(uint64_t i, uint32_t seed)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed * UINT64_C(0xd1342543de82ef95);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (float)(x >> 40) * 0x1p-24f;
}

/* Each row is divided by its sum, and multiplied with sums: they must be floats, and not 0. */
static void see_sums(const struct matrix *m)
{
    for (uint64_t row = 0; row < m->n; row++) {
        double sum = 0;
        for (uint64_t column = 0; column < m->n; column++)
            sum += m->cells[row * m->n + column];
        if (sum == 0)
            fail("%s: row %" PRIu64 " is all zero, and is to be divided by its sum", m->name,
                 row + 1);
        if (sum < FLT_MIN || sum > FLT_MAX / 4)
            fail("%s: row %" PRIu64 " adds up to %g: must be from %g to %g, for floats", m->name,
                 row + 1, sum, (double)FLT_MIN, (double)FLT_MAX / 4);
    }
}

void matrix_fill(struct matrix *m, uint32_t seed)
{
    m->cells = allocate(m->n * m->n * sizeof *m->cells);
    if (m->file)
        read_entries(m);
    for (uint64_t row = 0; row < m->n && !m->file; row++)
        for (uint64_t column = 0; column < m->n; column++)
            m->cells[row * m->n + column] = strcmp(m->name, "hilbert") == 0
                                                ? 1 / (float)(row + column + 1)
                                                : uniform(row * m->n + column, seed);
    see_sums(m);
}
