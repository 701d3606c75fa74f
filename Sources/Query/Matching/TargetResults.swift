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
