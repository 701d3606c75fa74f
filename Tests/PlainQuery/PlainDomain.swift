import HoldfastObjectModel
import HoldfastTestSupport

/// The values that objects and queries of the tests have: few of each type, so that they meet, and those at
/// which types differ.
enum PlainDomain {
    static let doubles: [Double] = [
        0, -0.0, 0.5, -1.5, 1, 2, 3, 0.1, 2.33, 16_777_217, 9_007_199_254_740_992,
        9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 1e300, .nan, .infinity, -.infinity,
    ]
    static let floats: [Float] = [
        0, -0.0, 0.5, 1, 2, 2.33, 0.1, 16_777_216, .nan, .infinity, -.infinity,
    ]
    static let ints: [Int64] = [
        -2, -1, 0, 1, 2, 3, 16_777_217, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
        .max - 1,
        .min,
    ]
    static let decimals = [
        "0", "-0", "1", "1.0", "1.00", "2.5", "0.1", "0.10", "2.33", "0.5", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "1E+30", "-3", "NaN", "Infinity", "-Infinity",
    ]
    static let strings = [
        "", "a", "A", "ab", "aB", "abc", "b", "B", "é", "É", "e", "ß", "ø", "zz", "a b",
        "lake mount",
        "Lake", "\0", "a\0b", "𝄞", "3", "xa", "å é",
        String(repeating: "x", count: 420) + "a", String(repeating: "x", count: 420) + "b",
    ]
    static let data: [[UInt8]] = [[], [97], [97, 98], [65], [98], [0], [255, 1], [97, 0, 98]]
    /// Keys of maps.
    static let keys = ["a", "b", "ab", "é", ""]

    /// A value of a type that is not null.
    static func value(_ type: ScalarType, _ random: inout SeededGenerator) -> Value {
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
        switch type {
        case .bool: return .bool(Bool.random(using: &random))
        case .int, .int64:
            return Int.random(in: 0..<3, using: &random) > 0
                ? .int(.random(in: -1...3, using: &random)) : .int(pick(ints))
        case .int8, .int16, .int32: return .int(.random(in: -2...3, using: &random))
        case .double: return .double(pick(doubles))
        case .float: return .float(pick(floats))
        case .decimal128: return .decimal(Decimal128(pick(decimals)) ?? .nan)
        case .string: return .string(pick(strings))
        case .data: return .data(pick(data))
        case .date:
            return .date(
                Timestamp(
                    seconds: .random(in: 0...1, using: &random), nanoseconds: pick([0, 1])))
        case .objectID:
            return .objectID(ObjectID(high: pick([0, 1, .max]), low: pick([0, 1])))
        case .uuid: return .uuid(UUID128(high: pick([0, 1 << 63]), low: pick([0, 1])))
        case .mixed: return value(pick(ScalarType.allCases.filter { $0 != .mixed }), &random)
        }
    }
}
