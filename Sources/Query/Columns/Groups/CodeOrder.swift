import Bytes

/// The order of groups by the values of their codes.
struct CodeOrder {
    private let values: [CodedValues]
    /// The codes of each group, one group after the other; empty where each group has its own number as its only code.
    private let codes: [UInt32]

    init(_ values: [CodedValues], codes: [UInt32]) {
        self.values = values
        self.codes = codes
    }

    private func value(_ index: Int, of group: Int) -> UnsafeRawBufferPointer {
        values[index][codes.isEmpty ? group : Int(codes[group * values.count + index])]
    }

    /// Whether a group comes before another. No value's bytes are the beginning of another's.
    func isBefore(_ a: Int, _ b: Int) -> Bool {
        for index in values.indices {
            let order = compareKeys(value(index, of: a), value(index, of: b))
            if order != 0 { return order < 0 }
        }
        return false
    }

    /// The sort bytes of a group.
    func bytes(of group: Int) -> [UInt8] {
        values.indices.flatMap { Array(value($0, of: group)) }
    }

    /// Whether a group comes behind sort bytes.
    func isBehind(_ group: Int, _ sortBytes: [UInt8]) -> Bool {
        bytes(of: group).withUnsafeBytes { own in
            sortBytes.withUnsafeBytes { compareKeys(own, $0) > 0 }
        }
    }
}
