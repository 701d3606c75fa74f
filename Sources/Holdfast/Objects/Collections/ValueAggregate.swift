import HoldfastBytes
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

/// Aggregates of values in memory or of a collection's values, by the same rules as in queries.
enum ValueAggregate {
    /// Calculates the least, greatest, mean or sum; nil without values. Only plain values count.
    static func result(_ function: AggregateFunction, _ values: [Any]) -> Value? {
        let plain = values.compactMap { QueryArguments.plain($0) }
        let types = Set(plain.compactMap { $0.scalarType?.widened })
        // Values of several types, as `AnyRealmValue` has.
        let type = types.count > 1 ? .mixed : types.first ?? .int
        guard function.result(of: type) != nil else {
            Misuse.end("'\(function.rawValue)' is not possible for values of type '\(type.name)'.")
        }
        var state = AggregateState(function, ElementStorage(type))
        let buffer = ByteBuffer(capacity: 32)
        for value in plain where value != .null {
            buffer.removeAll()
            if type == .mixed {
                MixedWriter(buffer).value(value)
            } else {
                InlineValue(value)?.append(to: buffer)
            }
            state.add(buffer.bytes.baseAddress, buffer.count)
        }
        return value(of: state.result)
    }

    /// The value of a result. Ends the process for an integer result that is out of range.
    static func value(of result: AggregateState.Result) -> Value? {
        switch result {
        case .none: return nil
        case .stored(let bytes, let storage):
            return bytes.withUnsafeBytes { Value(stored: $0, storage) }
        case .beyondInt: Misuse.end("The sum is beyond the integers of 64 bits.")
        }
    }
}

extension _QueryOrdered {
    /// An aggregate's value in the type; nil without values.
    static func _aggregated(_ value: Value?) -> Self? {
        guard let value else { return nil }
        let reader = ExplicitValues(reader: ValueReader())
        let content = AnyRealmValue(value).content ?? AnyRealmValue.none
        if let converted = _converted(content, reader) { return converted }
        // The mean of integers, as an integer.
        guard case .double(let mean) = value, let cut = Int(exactly: mean.rounded(.towardZero))
        else { return nil }
        return _converted(cut, reader)
    }
}
