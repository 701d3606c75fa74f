import HoldfastText

/// A text made ready to be found in others in time linear in both, whatever they hold (Knuth, Morris and
/// Pratt). It costs eight bytes of memory for each unit: ``TextMatch`` makes one when simple comparing has
/// taken too long.
struct TextNeedle {
    /// The units that are compared.
    enum Units {
        case bytes
        case scalars
        /// Scalars, but for case.
        case folded
    }

    private let kind: Units
    private let units: [UInt32]
    /// Of each beginning, how long the longest shorter one is that it ends with.
    private let borders: [Int32]

    init(_ part: UnsafeRawBufferPointer, _ kind: Units) {
        self.kind = kind
        var units: [UInt32] = []
        units.reserveCapacity(part.count)
        var offset = 0
        while offset < part.count { units.append(Self.next(part, &offset, kind)) }
        var borders: [Int32] = units.isEmpty ? [] : [0]
        borders.reserveCapacity(units.count)
        var length = 0
        for unit in units.dropFirst() {
            while length > 0, units[length] != unit { length = Int(borders[length - 1]) }
            if units[length] == unit { length += 1 }
            borders.append(Int32(length))
        }
        self.units = units
        self.borders = borders
    }

    @inline(__always)
    private static func next(
        _ text: UnsafeRawBufferPointer, _ offset: inout Int, _ kind: Units
    ) -> UInt32 {
        switch kind {
        case .bytes:
            offset += 1
            return UInt32(text[offset - 1])
        case .scalars: return UTF8Scalars.next(text, &offset)
        case .folded: return CaseFolding.fold(UTF8Scalars.next(text, &offset))
        }
    }

    /// Returns how much of the needle stands before the next unit, given how much stood before this one.
    @inline(__always)
    private func advance(_ matched: Int, _ unit: UInt32) -> Int {
        var matched = matched == units.count ? Int(borders[matched - 1]) : matched
        while matched > 0, units[matched] != unit { matched = Int(borders[matched - 1]) }
        return units[matched] == unit ? matched + 1 : 0
    }

    /// Finds the first occurrence from `offset` on, and moves the offset behind it; false when there is none.
    func find(in text: UnsafeRawBufferPointer, from offset: inout Int) -> Bool {
        if units.isEmpty { return true }
        var matched = 0
        while offset < text.count {
            matched = advance(matched, Self.next(text, &offset, kind))
            if matched == units.count { return true }
        }
        return false
    }

    /// Whether the text behind `offset` ends with it.
    func isSuffix(of text: UnsafeRawBufferPointer, from offset: Int) -> Bool {
        if units.isEmpty { return true }
        var (offset, matched) = (offset, 0)
        while offset < text.count { matched = advance(matched, Self.next(text, &offset, kind)) }
        return matched == units.count
    }
}
