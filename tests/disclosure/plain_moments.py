"""The bound for an unknown law with nothing but the standard library, interval by interval: how a checker evaluates it.

Given a witness (smoothing a, rate λ, price ν) and a claimed number of bits, `follows` says whether the number follows.
It is written apart from the package, term by term; only the theorem is shared.
"""

import math

FIRST = 2.0**-14
DEEPEST = 48
UNIT = 2.0**-53


def follows(records, cells, beta, smoothing, rate, price, bits):
    """Whether `bits` is proved: `beta` and `smoothing` are Fractions, the rest numbers."""
    added, scale = float(smoothing), float(1 + cells * smoothing / records)
    cut = math.log(cells / (float(beta) / 10)) * (1 + 2.0**-50)
    fixed = math.log(2 * math.pi * records) / 2 + 1 / (12 * records) - math.log(0.9 * float(beta)) + price * records
    # What ln M(μ) - νμ may be at most, for the claim to follow; rounded down.
    nats = bits * records * math.log(2) * rate
    target = (nats - fixed) / cells - 2.0**-44 * (abs(nats) + abs(fixed) + abs(price) * records) / cells
    first = min(FIRST, float(records), added / scale)
    if rate * added / scale + first * (math.expm1(rate / scale) + max(0.0, -price)) + 2.0**-40 > target:
        return False
    left = first
    while left < records:
        right = min(float(records), left + min(left / 2, 0.7 * math.sqrt(left)))
        if not below(left, right, target, (rate, added, scale, price, cut), DEEPEST):
            return False
        left = right
    return True


def below(left, right, target, cell, depth):
    """Whether ln M(μ) - νμ ≤ target on [left, right], halving it as long as that helps."""
    if ceiling(left, right, cell) <= target:
        return True
    middle = (left + right) / 2
    if depth == 0 or not left < middle < right:
        return False
    return below(left, middle, target, cell, depth - 1) and below(middle, right, target, cell, depth - 1)


def ceiling(left, right, cell):
    """The bound on an interval: the larger of the two ends, each with (k-λ·left)⁺h²/8left² in its exponents."""
    least = first_count(left, cell[4])
    bend = (right - left) ** 2 / (8 * left * left)
    return max(log_sum(end, left, right - left, bend, least, cell) - cell[3] * end for end in (left, right))


def log_sum(mean, left, step, bend, least, cell):
    """ln of the sum over counts from `least` on, from above."""
    rate, added, scale, _, _ = cell
    width = max(1, math.floor(max(math.sqrt(mean) / 16, step / 2))) if least >= mean / 4 else 1
    last = math.ceil(mean + 6 * math.sqrt(mean / (1 - rate)) + 24)
    count, total, highest = least, 0.0, -math.inf
    while True:
        y = ((count + added) / scale - mean) / mean
        exponent = log_poisson(count, mean) + rate * mean * (y - math.log1p(y))
        exponent += bend * max(count - rate * left, 0.0)
        if exponent > highest:
            total, highest = total * math.exp(highest - exponent) + 1.0, exponent
        else:
            total += math.exp(exponent - highest)
        if count > last:
            break
        count += width
    slope = rate * (1 / scale - mean / (count + 1 + added))
    ratio = mean / (count + 1) * math.exp(bend + slope) * (1 + 2.0**-40)
    if ratio >= 1:
        return math.inf
    block = width * math.exp(width**2 / (8 * least)) if width > 1 else 1.0
    total = block * total + math.exp(exponent - highest) * ratio / (1 - ratio)
    return highest + math.log(total) + 512 * UNIT * (8 + count - least)


def log_poisson(count, mean):
    """ln(e^-μ μ^k/k!), from above."""
    if count == 0:
        return -mean
    x = (count - mean) / mean
    exponent = mean * ((1 + x) * math.log1p(x) - x)
    if count <= 20:
        return -exponent - (math.log(math.factorial(count)) - count * math.log(count) + count)
    return -exponent - (math.log(2 * math.pi * count) / 2 + 1 / (12 * count) - 1 / (360 * count**3))


def first_count(mean, cut):
    """One more than the largest count that Chernoff's bound lets us leave out."""

    def rarity(count):
        x = (count - mean) / mean
        exponent = mean * ((1 + x) * math.log1p(x) - x) if count else mean
        return exponent - 64 * UNIT * (mean - count)

    if rarity(0) < cut:
        return 0
    low, high = 0, math.floor(mean)  # rarity(low) ≥ cut > rarity(high), which is about 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rarity(middle) >= cut else (low, middle)
    return low + 1
