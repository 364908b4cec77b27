/* Prints the largest absolute value of the eigenvalues of a matrix, computed by LAPACK.
 * similarity.t compares step 12 with it.
 *
 *   standard input: n, then n x n numbers
 */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1 || n < 1)
        return 2;
    double *a = malloc(sizeof *a * n * n), *real = malloc(sizeof *real * n),
           *imaginary = malloc(sizeof *imaginary * n), largest = 0;
    if (!a || !real || !imaginary)
        return 2;
    for (int i = 0; i < n * n; i++)
        if (scanf("%lf", &a[i]) != 1)
            return 2;
    if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, a, n, real, imaginary, NULL, 1, NULL, 1) != 0)
        return 1;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, hypot(real[i], imaginary[i]));
    printf("%.15g\n", largest);
    free(a);
    free(real);
    free(imaginary);
    return 0;
}
