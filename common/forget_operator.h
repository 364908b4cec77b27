/* Undefines what kernels/operator.clh and kernels/data.cl define, so that they can be included
 * again. */
#undef OPERATOR_CLH
#undef ELEMENT
#undef WORD
#undef LOWEST
#undef HIGHEST
#undef FLOATING
#undef IS_NAN
#undef VALUE
#undef IDENTITY
#undef COMBINE
#undef REDUCE_OVER
#undef load
#undef PLANTED
#undef WINNER
#undef LOSER
#undef LOSING
#undef POISON
