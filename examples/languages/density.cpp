#include <cstdio>
#include <gnd.hpp>

using gnd::_, gnd::array, gnd::slice;

int main() {
    const double mean = 0.1, sigma = 1.3, root_two_pi = 2.5066282746310005;
    const array x = gnd::linspace(mean - 6 * sigma, mean + 6 * sigma, 1000001);
    const array y = gnd::fuse([&] {
        const array t = (x - mean) / sigma;
        return exp(-0.5 * square(t)) / (sigma * root_two_pi);
    });
    print(y(slice(_, _, 250000)));
    std::printf("area %.9f\n", trapezoid(y, x).item<double>());
}
