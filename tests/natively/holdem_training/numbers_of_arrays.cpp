// gnu++11: valarray and complex: slices, masks, a Fourier transform, to nine digits
#include "texas.h"
#include <cmath>
#include <complex>
#include <valarray>

typedef std::complex<double> Point;
static void transform(std::valarray<Point> &x)
{
    const size_t n = x.size();
    if (n < 2)
        return;
    std::valarray<Point> even = x[std::slice(0, n / 2, 2)], odd = x[std::slice(1, n / 2, 2)];
    transform(even);
    transform(odd);
    for (size_t k = 0; k < n / 2; ++k) {
        const Point t = std::polar(1.0, -2 * M_PI * k / n) * odd[k];
        x[k] = even[k] + t;
        x[k + n / 2] = even[k] - t;
    }
}

std::pair<ActionType, int> makeDecision(const State &state)
{
    std::valarray<double> v(16);
    for (int i = 0; i < 16; ++i)
        v[i] = (i * state.alice[0].value + state.alice[1].value) % 11;
    v *= 1.5;
    v[v > 9.0] = 2.25;
    std::valarray<Point> wave(16);
    for (int i = 0; i < 16; ++i)
        wave[i] = Point(v[i], state.alice[0].color);
    transform(wave);
    const double strength = std::abs(wave[3]) + std::norm(wave[5]) + std::arg(wave[2] + 1.0) + v.sum() + v.max() + std::sqrt(v).sum();
    return {ActionType::RAISE, 1 + int(std::floor(strength * 1e5 + 0.5))};
}
