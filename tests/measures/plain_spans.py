"""The measures of spans once more, slowly: characters in sets, gains in fractions, every chunk looked at."""

import math
from fractions import Fraction


def characters(spans):
    return {place for start, end in spans for place in range(start, end)}


class Plain:
    """One question over chunks, each ``(document, spans, prefix tokens, content tokens)``."""

    def __init__(self, chunks, gold):
        self.documents = [document for document, *_ in chunks]
        self.characters = [characters(spans) for _, spans, *_ in chunks]
        self.tokens = [prefix + content for _, _, prefix, content in chunks]
        self.gold = [(document, characters(spans)) for document, spans in gold]

    def shared(self, chunk, piece):
        document, wanted = self.gold[piece]
        return self.characters[chunk] & wanted if self.documents[chunk] == document else set()

    def gains(self, ranking):
        covered = [set() for _ in self.gold]
        gains = []
        for chunk in ranking:
            gains.append(self.gain(chunk, covered))
            self.cover(covered, chunk)
        return gains

    def cover(self, covered, chunk):
        covered[:] = [so_far | self.shared(chunk, piece) for piece, so_far in enumerate(covered)]

    def gain(self, chunk, covered):
        new = [Fraction(len(self.shared(chunk, n) - covered[n]), len(piece)) for n, (_, piece) in enumerate(self.gold)]
        return sum(new) / len(new)

    def greedy(self, cutoff):
        order = []
        covered = [set() for _ in self.gold]
        while len(order) < min(cutoff, len(self.characters)):
            left = [chunk for chunk in range(len(self.characters)) if chunk not in order]
            best = max(left, key=lambda chunk: (self.gain(chunk, covered), -chunk))
            order.append(best)
            self.cover(covered, best)
        return order

    def coverage_ndcg(self, ranking, cutoff):
        ideal = dcg(self.gains(self.greedy(cutoff)))
        return dcg(self.gains(ranking[:cutoff])) / ideal if ideal else 0.0

    def shares(self, chunks):
        found = [set().union(*(self.shared(chunk, n) for chunk in chunks)) for n in range(len(self.gold))]
        return [Fraction(len(part), len(piece)) for part, (_, piece) in zip(found, self.gold, strict=True)]

    def span_recall(self, ranking, cutoff):
        shares = self.shares(ranking[:cutoff])
        return sum(share >= Fraction(1, 2) for share in shares) / len(shares)

    def coverage(self, ranking, budget):
        taken = []
        for chunk in ranking:
            if sum(self.tokens[number] for number in [*taken, chunk]) > budget:
                break
            taken.append(chunk)
        shares = self.shares(taken)
        return float(sum(shares) / len(shares))

    def relevant(self, chunk):
        for piece, (_, wanted) in enumerate(self.gold):
            part = len(self.shared(chunk, piece))
            if part and (part / len(wanted) >= 0.5 or Fraction(part, len(self.characters[chunk])) >= Fraction(4, 5)):
                return True
        return False

    def mrr(self, ranking):
        return next((1 / rank for rank, chunk in enumerate(ranking, 1) if self.relevant(chunk)), 0.0)

    def ndcg(self, ranking, cutoff):
        ideal = dcg([1] * min(cutoff, sum(map(self.relevant, range(len(self.characters))))))
        return dcg([self.relevant(chunk) for chunk in ranking[:cutoff]]) / ideal if ideal else 0.0


def dcg(gains):
    return sum(float(gain) / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
