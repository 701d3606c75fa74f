/// Some of the pages of a data file: a bit for each.
struct PageSet {
    private var words: [UInt64]

    /// An empty set of pages below `count`.
    init(count: UInt64) {
        words = [UInt64](repeating: 0, count: Int(count / 64) + 1)
    }

    /// Adds a page; false when it is there already.
    mutating func insert(_ page: UInt64) -> Bool {
        let bit: UInt64 = 1 << (page % 64)
        defer { words[Int(page / 64)] |= bit }
        return words[Int(page / 64)] & bit == 0
    }
}
