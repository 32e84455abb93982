import gnd

mean, sigma, root_two_pi = 0.1, 1.3, 2.5066282746310005
x = gnd.linspace(mean - 6 * sigma, mean + 6 * sigma, 1000001)
t = (x - mean) / sigma
y = gnd.exp(-0.5 * gnd.square(t)) / (sigma * root_two_pi)
print(y[::250000])
print(f"area {float(gnd.trapezoid(y, x)):.9f}")
