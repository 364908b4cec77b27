/* Undefines what kernels/operator.clh and kernels/data.cl define, so that they can be included again. */
#undef ELEMENT
#undef WORD
#undef LOWEST
#undef HIGHEST
#undef NO_ATOMIC
#undef VALUE
#undef IDENTITY
#undef COMBINE
#undef LIFT
#undef ATOMIC
#undef REDUCE_OVER
#undef load
#undef PLANTED
#undef POISON
