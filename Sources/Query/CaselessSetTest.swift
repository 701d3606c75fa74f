import Text

/// Strings or data that are one of several but for case: one look into a table of hashes, whatever their number.
///
/// It keeps nothing between calls, so that several threads may use it at once.
final class CaselessSetTest: ValueTest {
    /// Each of the constants once.
    private let constants: [TextConstant]
    /// Positions in `constants` by hash, open addressing with steps of one; -1 where there is none. At most half
    /// of the places are taken.
    private let places: [Int32]

    init(_ constants: [TextConstant], nullResult: Bool) {
        var placeCount = 4
        while placeCount < 2 * constants.count { placeCount *= 2 }
        var places = [Int32](repeating: -1, count: placeCount)
        var distinct: [TextConstant] = []
        for constant in constants {
            let place = Self.place(of: constant.bytes, in: places, distinct)
            guard places[place] < 0 else { continue }
            places[place] = Int32(distinct.count)
            distinct.append(constant)
        }
        self.constants = distinct
        self.places = places
        super.init(nullResult: nullResult)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let text = UnsafeRawBufferPointer(start: address, count: count)
        return places[Self.place(of: text, in: places, constants)] >= 0
    }

    /// The place of the constant that equals `text` but for case, or the free one where it would be.
    private static func place(
        of text: UnsafeRawBufferPointer, in places: [Int32], _ constants: [TextConstant]
    ) -> Int {
        let mask = places.count - 1
        var place = hash(text) & mask
        while places[place] >= 0,
            !TextMatch.equals(
                text, constants[Int(places[place])].bytes, ignoresCase: true)
        {
            place = (place + 1) & mask
        }
        return place
    }

    /// A hash of the scalars but for case, whose last bits depend on each of them.
    private static func hash(_ text: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0
        var offset = 0
        while offset < text.count {
            let scalar = UInt64(CaseFolding.fold(UTF8Scalars.next(text, &offset)))
            // The odd number nearest to 2^64 by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
            hash = (hash ^ scalar) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        return Int(truncatingIfNeeded: hash)
    }
}
