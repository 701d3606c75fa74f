import HoldfastRows

/// Results of a path that begins with a to-one link, remembered for each target of the link, where a result is one
/// number that several objects or elements are read for: as `country.cities.@avg.population` of cities.
///
/// For comparisons with it and sorts by it. One thread at a time uses it; it belongs to a ``PathWalker``.
final class TargetResults {
    /// A number as it is stored, of 16 bytes at most.
    private struct Result {
        var bytes: (UInt64, UInt64) = (0, 0)
        /// 0 for null.
        var byteCount = 0
        var wasMissing = false
    }

    private let sink = SingleSink()
    private let memory: TargetMemory<Result>

    /// Nil for a path of which nothing has to be remembered.
    init?(_ path: ValuePath, schema: RowSchema) {
        guard let link = path.sharedLink, path.readsSeveral else { return nil }
        switch path.terminal {
        case .aggregate(let function, let member), .objectAggregate(let function, let member):
            let storage = schema.classes[path.lastClass].members[member].storage.element
            let isAny = storage == .mixed && (function == .min || function == .max)
            guard !path.isMany, !isAny, storage == .mixed || storage.fixedByteCount != nil else {
                return nil
            }
        default: guard path.isSum else { return nil }
        }
        memory = TargetMemory(link, schema: schema)
    }

    /// Passes the values of the path, in one group, to a sink; false if the object has no target, and nothing was passed.
    ///
    /// - `evaluate`: Hands it to the sink that it is given.
    func hand(
        _ row: RowView, _ source: any ObjectSource, to receiver: ValueSink,
        _ evaluate: (ValueSink) -> Void
    ) -> Bool {
        let result = memory.result(row, source) {
            sink.value = nil
            sink.wasMissing = false
            evaluate(sink)
            var result = Result(wasMissing: sink.wasMissing)
            if let value = sink.value {
                result.byteCount = value.count
                withUnsafeMutableBytes(of: &result.bytes) { $0.copyMemory(from: value) }
            }
            return result
        }
        guard let result else { return false }
        if result.wasMissing { receiver.wasMissing = true }
        receiver.beginGroup()
        withUnsafeBytes(of: result.bytes) { bytes in
            _ = receiver.receive(result.byteCount > 0 ? bytes.baseAddress : nil, result.byteCount)
        }
        _ = receiver.endGroup()
        return true
    }
}

/// Results that are the same for all objects with a to-one link to the same target, found once for each target
/// and remembered: without that a query which reads much behind a link costs the product of two classes.
///
/// One thread at a time uses it. Another snapshot begins it again.
final class TargetMemory<Result> {
    /// The most targets remembered: the results of further ones are found out each time.
    private let targetCountMax = 1 << 17
    private let rowClass: RowClass
    private let member: Int
    private var results: [UInt64: Result] = [:]
    /// The snapshot that the results are of. Weak, so that another one at the same address is not taken for it.
    private weak var boundSource: (any ObjectSource)?

    /// - `link`: A to-one link of the object itself.
    init(_ link: PathStep, schema: RowSchema) {
        rowClass = schema.classes[link.fromClass]
        member = link.member
    }

    /// Returns the result of an object's target, which `evaluate` finds out; nil where the link is null.
    func result(_ row: RowView, _ source: any ObjectSource, _ evaluate: () -> Result) -> Result? {
        let field = rowClass.field(member, in: row)
        guard !field.isNull else { return nil }
        if boundSource !== source {
            results.removeAll(keepingCapacity: true)
            boundSource = source
        }
        let target = field.load(UInt64.self)
        if let result = results[target] { return result }
        let result = evaluate()
        if results.count < targetCountMax { results[target] = result }
        return result
    }
}
