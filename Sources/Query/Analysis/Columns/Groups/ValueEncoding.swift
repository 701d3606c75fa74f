import HoldfastBytes

/// Gives values codes: how many different ones came before each. One thread at a time uses it.
protocol ValueEncoding: AnyObject {
    /// Makes one of the same without any codes.
    func makePart() -> Self

    /// How many codes there are.
    var count: Int { get }

    /// Bytes of memory that the codes take.
    var byteCount: Int { get }

    /// Sets the codes of the values at some positions of a chunk, at most ``ColumnBatch/countMax``, without
    /// exceptions; the code of null without a chunk.
    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>)

    /// The codes of the values that have some codes, at most ``ColumnBatch/countMax``, in another one of the same. New ones
    /// come in the order of these.
    func codes(_ codes: [UInt32], of other: Self) -> [UInt32]

    /// Appends the sort bytes of the value of a code.
    func append(_ code: Int, to buffer: ByteBuffer)

    /// Whether columns tell which values come behind another.
    var narrows: Bool { get }

    /// The test of which values do not come behind that of a code; nil where columns do not tell that.
    func kernel(upTo code: Int) -> ColumnKernel?

    /// Compares the values of two codes as their sort bytes are, unless these have to be made for it.
    func order(_ a: Int, _ b: Int) -> Int?
}

extension ValueEncoding {
    /// The codes of the values that have some codes in another one, which is of the same kind.
    func codes(_ codes: [UInt32], ofLike other: any ValueEncoding) -> [UInt32] {
        guard let other = other as? Self else { return codes.map { _ in 0 } }
        return self.codes(codes, of: other)
    }
}
