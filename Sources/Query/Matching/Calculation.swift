import ObjectModel
import Rows

/// An ``Expression`` made ready for rows: reads its paths and calculates the result for each value of the
/// one that has several.
final class Calculation {
    /// One path or list of the expression.
    private final class Source {
        let walker: PathWalker?
        let sink: GroupedSink<Number?>
        let constants: [Number?]
        let isMany: Bool

        init(_ walker: PathWalker, _ path: ValuePath) {
            self.walker = walker
            let storage = path.type.storage
            sink = GroupedSink { address, count in
                address.flatMap { Number($0, count, storage) }
            }
            constants = []
            isMany = path.isMany
        }

        init(_ constants: [Value]) {
            walker = nil
            sink = GroupedSink { _, _ in nil }
            self.constants = constants.map { Number($0) }
            isMany = true
        }

        func number(_ index: Int) -> Number? {
            walker == nil ? constants[index] : sink.values[index]
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

    /// Reads the paths; see ``ComparedSide/read(_:)``.
    func read(_ walk: (PathWalker, ValueSink) -> Void) {
        for source in sources {
            guard let walker = source.walker else { continue }
            source.sink.reset()
            walk(walker, source.sink)
        }
    }

    /// How many collections are calculated with, one at a time.
    var groupCount: Int {
        guard let many, many.walker != nil else { return 1 }
        return many.sink.groupEnds.count
    }

    /// The indexes of the results of one group.
    func group(_ index: Int) -> Range<Int> {
        guard let many else { return 0..<1 }
        if many.walker == nil { return 0..<many.constants.count }
        return many.sink.group(index)
    }

    /// One result; null where a part is null or no number.
    func value(_ index: Int) -> ComparedValue {
        calculate(term, index)?.compared ?? ComparedValue()
    }

    private func calculate(_ term: Term, _ index: Int) -> Number? {
        switch term {
        case .constant(let number): return number
        case .source(let source):
            if source.isMany { return source.number(index) }
            return source.sink.values.first ?? nil
        case .operation(let left, let operation, let right):
            guard let a = calculate(left, index), let b = calculate(right, index) else {
                return nil
            }
            return Number.calculate(a, operation, b)
        }
    }
}
