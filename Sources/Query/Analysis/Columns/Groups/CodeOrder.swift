import HoldfastBytes

/// The order of groups by the values of their codes.
struct CodeOrder {
    private let encoders: [DictionaryEncoder]
    /// The codes of each group, one group after the other; empty where each group has its own number as its only code.
    private let codes: [UInt32]
    private let buffer = ByteBuffer(capacity: 128)

    init(_ encoders: [DictionaryEncoder], codes: [UInt32]) {
        self.encoders = encoders
        self.codes = codes
    }

    /// The code of a group that one of the coders gave.
    func code(_ index: Int, of group: Int) -> Int {
        codes.isEmpty ? group : Int(codes[group * encoders.count + index])
    }

    /// Whether a group comes before another. No value's bytes are the beginning of another's.
    func isBefore(_ a: Int, _ b: Int) -> Bool {
        for index in encoders.indices {
            let order = encoders[index].order(code(index, of: a), code(index, of: b))
            if order != 0 { return order < 0 }
        }
        return false
    }

    func bytes(of group: Int) -> [UInt8] { withBytes(of: group) { Array($0) } }

    /// Lends the sort bytes of a group.
    func withBytes<Result>(of group: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffer.removeAll()
        for index in encoders.indices { encoders[index].append(code(index, of: group), to: buffer) }
        return body(buffer.bytes)
    }

    func isBehind(_ group: Int, _ sortBytes: [UInt8]) -> Bool {
        sortBytes.withUnsafeBytes { other in withBytes(of: group) { compareKeys($0, other) > 0 } }
    }
}
