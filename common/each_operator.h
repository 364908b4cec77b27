/* Includes the file INSTANTIATE once per operator and type, each time after kernels/operator.clh as
 * C.
 *
 * NAME(word) is then PREFIX_word_sum_int and so on, and so are value, identity, combine, load …
 * themselves: the words of operator.clh can stand in one C file for all operators side by side.
 * Ends by undefining INSTANTIATE and PREFIX. A new operator or type: a block here or in
 * each_type.h, and EACH_OPERATOR in operator.h.
 */
#define NAME_OF(prefix, word, operation, type) prefix##_##word##_##operation##_##type
#define NAME_FOR(prefix, word, operation, type) NAME_OF(prefix, word, operation, type)
#define NAME(word) NAME_FOR(PREFIX, word, OPERATOR, TYPE)

#define element NAME(element)
#define value NAME(value)
#define input NAME(input)
#define identity NAME(identity)
#define lift NAME(lift)
#define combine NAME(combine)
#define reduce NAME(reduce)
#define scramble NAME(scramble)
#define scaled_hash NAME(scaled_hash)
#define in_order NAME(in_order)
#define poison NAME(poison)
#define made NAME(made)

#define SUM
#define OPERATOR sum
#define OPERATOR_OPTION "-D SUM"
#include "each_type.h"
#undef OPERATOR
#undef OPERATOR_OPTION
#undef SUM

#define MIN
#define OPERATOR min
#define OPERATOR_OPTION "-D MIN"
#include "each_type.h"
#undef OPERATOR
#undef OPERATOR_OPTION
#undef MIN

#define MAX
#define OPERATOR max
#define OPERATOR_OPTION "-D MAX"
#include "each_type.h"
#undef OPERATOR
#undef OPERATOR_OPTION
#undef MAX

#define ARGMIN
#define OPERATOR argmin
#define OPERATOR_OPTION "-D ARGMIN"
#include "each_type.h"
#undef OPERATOR
#undef OPERATOR_OPTION
#undef ARGMIN

#define ARGMAX
#define OPERATOR argmax
#define OPERATOR_OPTION "-D ARGMAX"
#include "each_type.h"
#undef OPERATOR
#undef OPERATOR_OPTION
#undef ARGMAX

#define HASH
#define OPERATOR hash
#define OPERATOR_OPTION "-D HASH"
#include "each_type.h"
#undef OPERATOR
#undef OPERATOR_OPTION
#undef HASH

#undef element
#undef value
#undef input
#undef identity
#undef lift
#undef combine
#undef reduce
#undef scramble
#undef scaled_hash
#undef in_order
#undef poison
#undef made
#undef NAME
#undef NAME_FOR
#undef NAME_OF
#undef PREFIX
#undef INSTANTIATE
