import HoldfastObjectModel
import HoldfastRows

/// An ``Expression`` made ready for rows: reads its paths and calculates the result for each value of the one that has several.
final class Calculation {
    /// One path or list of the expression, with the numbers that it leads to.
    private struct Source {
        /// Nil for a list of numbers, which stay.
        let walker: PathWalker?
        let isMany: Bool
        let numbers: GroupedSink<Number?>
    }

    private indirect enum Term {
        case source(Source)
        case constant(Number?)
        case operation(Term, ArithmeticOperator, Term)
    }

    private let term: Term
    private let sources: [Source]
    /// The one source that has several values.
    private let many: Source?

    /// - `walker`: Makes a walker for a path.
    init(_ expression: Expression, walker: (ValuePath) -> PathWalker) {
        var sources: [Source] = []
        func add(_ source: Source) -> Term {
            sources.append(source)
            return .source(source)
        }
        func make(_ term: Expression.Term) -> Term {
            switch term {
            case .constant(let value): return .constant(Number(value))
            case .path(let path):
                let storage = path.type.storage
                let numbers = GroupedSink<Number?>(keepsAddresses: false) { address, count in
                    address.flatMap { Number($0, count, storage) }
                }
                return add(Source(walker: walker(path), isMany: path.isMany, numbers: numbers))
            case .constants(let values):
                let numbers = GroupedSink<Number?>(keepsAddresses: false) { _, _ in nil }
                for value in values { _ = numbers.take(Number(value)) }
                _ = numbers.endGroup()
                return add(Source(walker: nil, isMany: true, numbers: numbers))
            case .operation(let left, let operation, let right):
                return .operation(make(left), operation, make(right))
            }
        }
        term = make(expression.term)
        self.sources = sources
        many = sources.first(where: \.isMany)
    }

    /// Reads the paths; see ``ComparedSide/read(_:within:)``.
    func read(_ walk: (PathWalker, ValueSink) -> Void, within budget: Budget) -> Bool {
        for source in sources {
            guard let walker = source.walker else { continue }
            source.numbers.reset(budget)
            walk(walker, source.numbers)
        }
        return budget.failure == nil
    }

    /// The number of collections that are calculated with, one at a time.
    var groupCount: Int { many?.numbers.groupEnds.count ?? 1 }

    /// Returns the indexes of the results of one group.
    func group(_ index: Int) -> Range<Int> { many?.numbers.group(index) ?? 0..<1 }

    /// Returns one result; null where a part is null or no number.
    func value(_ index: Int) -> ComparedValue {
        calculate(term, index)?.compared ?? ComparedValue()
    }

    private func calculate(_ term: Term, _ index: Int) -> Number? {
        switch term {
        case .constant(let number): return number
        case .source(let source):
            let numbers = source.numbers.values
            return source.isMany ? numbers[index] : numbers.first ?? nil
        case .operation(let left, let operation, let right):
            guard let a = calculate(left, index), let b = calculate(right, index) else {
                return nil
            }
            return Number.calculate(a, operation, b)
        }
    }
}
