import HoldfastObjectModel
import HoldfastRows

/// An ``Expression`` made ready for rows: reads its paths and calculates the result for each value of the
/// one that has several.
final class Calculation {
    /// One path or list of the expression, with the numbers that it leads to.
    private final class Source: ValueSink {
        let walker: PathWalker?
        let isMany: Bool
        private let storage: ElementStorage
        private(set) var numbers = GroupedValues<Number?>()

        init(_ walker: PathWalker, _ path: ValuePath) {
            self.walker = walker
            storage = path.type.storage
            isMany = path.isMany
        }

        init(_ constants: [Value]) {
            walker = nil
            storage = .int
            isMany = true
            for constant in constants { numbers.append(Number(constant)) }
            numbers.endGroup()
        }

        private var budget = Budget()

        override var keepsValues: Bool { false }

        func read(_ walk: (PathWalker, ValueSink) -> Void, within budget: Budget) {
            guard let walker else { return }
            self.budget = budget
            groupCount = 0
            numbers.reset()
            walk(walker, self)
        }

        override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
            numbers.append(address.flatMap { Number($0, count, storage) })
            return budget.holds(numbers.values.count * MemoryLayout<Number?>.stride)
        }

        override func endGroup() -> Bool {
            numbers.endGroup()
            return true
        }
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
        func make(_ term: Expression.Term) -> Term {
            switch term {
            case .constant(let value): return .constant(Number(value))
            case .path(let path):
                let source = Source(walker(path), path)
                sources.append(source)
                return .source(source)
            case .constants(let values):
                let source = Source(values)
                sources.append(source)
                return .source(source)
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
        for source in sources { source.read(walk, within: budget) }
        return budget.failure == nil
    }

    /// The number of collections that are calculated with, one at a time.
    var groupCount: Int { many?.numbers.groupEnds.count ?? 1 }

    /// Returns the indexes of the results of one group.
    func group(_ index: Int) -> Range<Int> {
        many?.numbers.group(index) ?? 0..<1
    }

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
