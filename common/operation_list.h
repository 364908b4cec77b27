/* Every operation: an operator on the types that it has. A new operator is a file in
 * kernels/operators/ and a line here.
 *
 * The Makefile asks the preprocessor for OPERATION(op, type) and compiles operation.c for each;
 * operations.c makes the list of them. The first is what a step does by default; its operator has
 * every type. */
// clang-format off
#define WORDS(op) OPERATION(op, int) OPERATION(op, uint)
#define LONGS(op) OPERATION(op, long) OPERATION(op, ulong)
#define WORDS_AND_FLOATS(op) WORDS(op) OPERATION(op, float)
#define ALL_TYPES(op) WORDS_AND_FLOATS(op) LONGS(op) OPERATION(op, double)

ALL_TYPES(sum)
ALL_TYPES(min)
ALL_TYPES(max)
WORDS_AND_FLOATS(argmin)
WORDS_AND_FLOATS(argmax)
WORDS(hash)
