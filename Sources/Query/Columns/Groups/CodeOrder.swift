import Bytes

/// The order of groups by the values of their codes.
struct CodeOrder {
    private let coders: [GroupCoder]
    /// The sort bytes of the values of coders that have them once for all.
    private let values: [CodedValues?]
    /// The codes of each group, one group after the other; empty where each group has its own number as its only code.
    private let codes: [UInt32]
    /// The coder whose codes are the groups, where their values are in no other order.
    private let only: GroupCoder?
    private let buffer = ByteBuffer(capacity: 128)

    init(_ coders: [GroupCoder], _ values: [CodedValues?], codes: [UInt32]) {
        self.coders = coders
        self.values = values
        self.codes = codes
        only = codes.isEmpty && coders.count == 1 && values[0] == nil ? coders[0] : nil
    }

    private func code(_ index: Int, of group: Int) -> Int {
        codes.isEmpty ? group : Int(codes[group * coders.count + index])
    }

    /// Whether a group comes before another. No value's bytes are the beginning of another's.
    func isBefore(_ a: Int, _ b: Int) -> Bool {
        if let only { return only.order(a, b) < 0 }
        for index in coders.indices {
            let (first, second) = (code(index, of: a), code(index, of: b))
            let order =
                values[index].map { compareKeys($0[first], $0[second]) }
                ?? coders[index].order(first, second)
            if order != 0 { return order < 0 }
        }
        return false
    }

    private func read(_ group: Int) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        for index in coders.indices {
            let code = code(index, of: group)
            if let values = values[index] {
                buffer.append(values[code])
            } else {
                coders[index].append(code, to: buffer)
            }
        }
        return buffer.bytes
    }

    /// The sort bytes of a group.
    func bytes(of group: Int) -> [UInt8] { Array(read(group)) }

    /// Whether a group comes behind sort bytes.
    func isBehind(_ group: Int, _ sortBytes: [UInt8]) -> Bool {
        sortBytes.withUnsafeBytes { compareKeys(read(group), $0) > 0 }
    }
}
