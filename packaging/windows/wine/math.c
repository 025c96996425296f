/* Complex functions of C99 as Microsoft's runtime has them, which wine's lacks and numpy links. A long double of that
   runtime is a double. For packaging/windows/try-wine.sh alone; never shipped.
   math.def, written by the script, exports k_NAME as NAME and hands everything real on to ucrtbase. */
#include <complex.h>
#include <math.h>

typedef struct { double re, im; } dcomplex;
typedef struct { float re, im; } fcomplex;

static double complex in(dcomplex z) { union { dcomplex s; double complex c; } u = {z}; return u.c; }
static dcomplex out(double complex z) { dcomplex s = {creal(z), cimag(z)}; return s; }
static float complex in_f(fcomplex z) { union { fcomplex s; float complex c; } u = {z}; return u.c; }
static fcomplex out_f(float complex z) { fcomplex s = {crealf(z), cimagf(z)}; return s; }

#define MAP(name) \
    dcomplex k_##name(dcomplex z) { return out(name(in(z))); } \
    dcomplex k_##name##l(dcomplex z) { return out(name(in(z))); } \
    fcomplex k_##name##f(fcomplex z) { return out_f(name##f(in_f(z))); }
#define PART(name) \
    double k_##name(dcomplex z) { return name(in(z)); } \
    double k_##name##l(dcomplex z) { return name(in(z)); } \
    float k_##name##f(fcomplex z) { return name##f(in_f(z)); }

MAP(csin) MAP(ccos) MAP(ctan) MAP(csinh) MAP(ccosh) MAP(ctanh) MAP(cexp) MAP(clog) MAP(csqrt)
MAP(casin) MAP(cacos) MAP(catan) MAP(casinh) MAP(cacosh) MAP(catanh)
PART(creal) PART(cimag) PART(cabs) PART(carg)

dcomplex k_cpow(dcomplex a, dcomplex b) { return out(cpow(in(a), in(b))); }
dcomplex k_cpowl(dcomplex a, dcomplex b) { return out(cpow(in(a), in(b))); }
fcomplex k_cpowf(fcomplex a, fcomplex b) { return out_f(cpowf(in_f(a), in_f(b))); }
