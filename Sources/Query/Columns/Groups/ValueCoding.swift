import HoldfastBytes

/// Gives values codes: how many different ones came before each. One thread at a time uses it.
protocol ValueCoding: AnyObject {
    /// Makes one of the same without any codes.
    func makePart() -> Self

    /// How many codes there are.
    var count: Int { get }

    /// Bytes of memory that the codes take.
    var byteCount: Int { get }

    /// Sets the codes of the values at some positions of a chunk, at most ``ColumnBatch/countMax``, none of which is an
    /// exception; those of null where there is no chunk.
    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>)

    /// The code of the value that has a code in another one of the same.
    func code(_ code: Int, of other: Self) -> UInt32

    /// Appends the sort bytes of the value of a code.
    func append(_ code: Int, to buffer: ByteBuffer)

    /// Compares the values of two codes as their sort bytes are, unless these have to be made for it.
    func order(_ a: Int, _ b: Int) -> Int?
}

extension ValueCoding {
    /// The code of the value that has a code in another one, which is of the same kind.
    func code(_ code: Int, ofLike other: any ValueCoding) -> UInt32 {
        guard let other = other as? Self else { return 0 }
        return self.code(code, of: other)
    }
}
