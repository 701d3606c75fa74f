import Glibc
import HoldfastBytes
import HoldfastStorage
import HoldfastThreads

/// The check of a data file's pages before LMDB maps it. LMDB trusts the pages: a damaged one can end the process that reads it,
/// or keep it in a loop.
///
/// The check walks the tree and the list of free pages from the newest meta page. Each page has its own number, the kind of its
/// level, and is reached once. Its nodes lie within it, side by side, in the order of their keys and between those of the page
/// above. A long value's pages exist. No page in use is in the list of free pages. The bytes of values are not checked. Memory:
/// one page for each level, and a bit for each page of the file.
///
/// Source: LMDB 0.9.24, mdb.c (`MDB_page`, `MDB_node`, `MDB_db`, `mdb_node_add`, `mdb_page_search_root`), on a little-endian
/// machine of 64 bits.
struct DataFilePages: ~Copyable {
    /// The fault of a page.
    private struct Damage: Error {
        let page: UInt64
        let what: StaticString
    }
    /// Thrown when the wanted number of pages was read.
    private struct IsEnough: Error {}

    private enum Flag {
        static let branch: UInt16 = 1
        static let leaf: UInt16 = 2
        static let overflow: UInt16 = 4
        /// A node's flag: its value has pages of its own.
        static let bigData: UInt16 = 1
    }
    private static let pageHeaderByteCount = 16
    private static let nodeHeaderByteCount = 8
    private static let depthMax = 32
    private static let none = UInt64.max

    /// The keys of the page above between which a page's keys lie.
    private struct Bounds {
        var lower: [UInt8] = []
        /// Nil if there is no upper bound.
        var upper: [UInt8]?
    }

    private let file: Int32
    private let meta: DataFileMeta
    private var reached: PageSet
    private var rest: Int

    /// Refuses a data file that has a damaged page.
    ///
    /// - `pageCountMax`: The most pages that are read; pages above the leaves come first.
    /// - `path`: The file's path, for the message.
    /// - Throws: ``StorageError`` `.corrupted` for damage; `.io` if a page cannot be read.
    static func check(
        _ file: borrowing FileDescriptor, _ meta: DataFileMeta, pageCountMax: Int, path: String
    ) throws(StorageError) {
        do {
            for includesLeaves in [false, true] {
                var pages = DataFilePages(file.number, meta, pageCountMax)
                do { try pages.walk(includesLeaves: includesLeaves) } catch is IsEnough {}
            }
        } catch let damage as Damage {
            throw StorageError(
                .corrupted, operation: "check pages",
                native: "page \(damage.page) of \(path) is damaged: \(damage.what)")
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.corrupted, operation: "check pages")
        }
    }

    /// Refuses a data file that ends before pages that its newest meta page counts on. Reading past the end of the mapped file
    /// raises SIGBUS.
    ///
    /// LMDB doesn't write a page that its transaction has freed again, so a sound file may end before its last page: then all
    /// missing pages are in the list of free pages. Cost: if pages are missing, a read for each page of that list.
    /// - `path`: The file's path, for the message.
    static func checkLength(
        of file: borrowing FileDescriptor, _ meta: DataFileMeta, path: String
    ) throws(StorageError) {
        let byteCount = try file.byteCount(operation: "open store")
        let (count, wanted) = (UInt64(byteCount / meta.pageByteCount), meta.lastPage + 1)
        guard count < wanted else { return }
        let cut = DataFileMeta.cut(path, byteCount, Int(wanted) * meta.pageByteCount)
        // The list takes eight bytes for each page.
        guard wanted - count <= UInt64(byteCount / 8) else { throw cut }
        var pages = DataFilePages(file.number, meta, .max)
        do { try pages.walk(meta.free, isFreeList: true, includesLeaves: true) } catch {
            throw cut
        }
        guard (count..<wanted).allSatisfy({ !pages.reached.insert($0) }) else { throw cut }
    }

    private init(_ file: Int32, _ meta: DataFileMeta, _ pageCountMax: Int) {
        self.file = file
        self.meta = meta
        rest = pageCountMax
        reached = PageSet(count: meta.lastPage + 1)
    }

    private mutating func walk(includesLeaves: Bool) throws {
        try walk(meta.main, isFreeList: false, includesLeaves: includesLeaves)
        try walk(meta.free, isFreeList: true, includesLeaves: includesLeaves)
    }

    private mutating func walk(
        _ tree: DataFileMeta.Tree, isFreeList: Bool, includesLeaves: Bool
    ) throws {
        if tree.root == Self.none {
            guard tree.depth == 0 else { throw Damage(page: 0, what: "a tree has no root") }
            return
        }
        guard (1...Self.depthMax).contains(tree.depth) else {
            throw Damage(page: tree.root, what: "its tree is too deep")
        }
        try walk(
            tree.root, level: tree.depth, Bounds(), isFreeList: isFreeList,
            includesLeaves: includesLeaves)
    }

    /// Checks a page and the pages below it.
    ///
    /// - `level`: The number of levels from the page on, including its own.
    private mutating func walk(
        _ number: UInt64, level: Int, _ bounds: Bounds, isFreeList: Bool, includesLeaves: Bool
    ) throws {
        if level == 1, !includesLeaves { return }
        let bytes = try page(number)
        let nodes = try nodes(of: bytes, number, isLeaf: level == 1)
        try bytes.withUnsafeBytes { page in
            try requireOrder(page, number, nodes, level, bounds, isFreeList: isFreeList)
            for index in nodes.indices {
                if level == 1 {
                    try visitLeaf(page, nodes[index], number, isFreeList: isFreeList)
                    continue
                }
                var inner = bounds
                if index > 0 { inner.lower = Array(Self.key(page, nodes[index])) }
                if index + 1 < nodes.count { inner.upper = Array(Self.key(page, nodes[index + 1])) }
                try walk(
                    Self.child(page, nodes[index]), level: level - 1, inner,
                    isFreeList: isFreeList, includesLeaves: includesLeaves)
            }
        }
    }

    /// Reads a page of the tree, which must be reached for the first time.
    private mutating func page(_ number: UInt64) throws -> [UInt8] {
        try reach(number, 1)
        if rest == 0 { throw IsEnough() }
        rest -= 1
        return try contents(number, byteCount: meta.pageByteCount)
    }

    private mutating func reach(_ first: UInt64, _ count: UInt64) throws {
        guard first >= 2, first <= meta.lastPage, count <= meta.lastPage - first + 1 else {
            throw Damage(page: first, what: "it is named, and lies outside of the file")
        }
        for number in first..<(first + count) where !reached.insert(number) {
            throw Damage(page: number, what: "it is named twice")
        }
    }

    private func contents(_ number: UInt64, byteCount: Int) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            count = readAll(
                file, into: UnsafeMutableRawBufferPointer(buffer),
                at: Int(number) * meta.pageByteCount)
            if count < 0 {
                failure = errno
                count = 0
            }
        }
        if failure != 0 { throw StorageError(systemError: failure, operation: "check pages") }
        guard bytes.count == byteCount else {
            throw Damage(page: number, what: "it lies after the end of the file")
        }
        return bytes
    }

    // MARK: Nodes

    /// Returns the offsets of a page's nodes, in the order of their keys.
    private func nodes(of bytes: [UInt8], _ number: UInt64, isLeaf: Bool) throws -> [Int] {
        try bytes.withUnsafeBytes { page in
            guard Self.number(page, 0) == number else {
                throw Damage(page: number, what: "it has another number")
            }
            guard Self.half(page, 10) == (isLeaf ? Flag.leaf : Flag.branch) else {
                throw Damage(page: number, what: "it is of another kind")
            }
            let lower = Int(Self.half(page, 12))
            let upper = Int(Self.half(page, 14))
            let count = (lower - Self.pageHeaderByteCount) / 2
            // LMDB makes no branch with only one node.
            guard lower >= Self.pageHeaderByteCount, lower % 2 == 0, lower <= upper,
                upper <= page.count, count >= (isLeaf ? 1 : 2)
            else { throw Damage(page: number, what: "its bounds are wrong") }
            var byteCount = 0
            let nodes = try (0..<count).map { index in
                let node = Int(Self.half(page, Self.pageHeaderByteCount + 2 * index))
                guard node >= upper, node + Self.nodeHeaderByteCount <= page.count else {
                    throw Damage(page: number, what: "an entry lies outside of it")
                }
                let length = Self.byteCount(page, node, isLeaf: isLeaf)
                guard length <= page.count - node else {
                    throw Damage(page: number, what: "an entry is longer than it")
                }
                byteCount += (length + 1) & ~1
                return node
            }
            guard byteCount == page.count - upper else {
                throw Damage(page: number, what: "its entries overlap")
            }
            return nodes
        }
    }

    /// Returns the number of bytes that a node takes in its page.
    private static func byteCount(
        _ page: UnsafeRawBufferPointer, _ node: Int, isLeaf: Bool
    ) -> Int {
        let key = nodeHeaderByteCount + Int(half(page, node + 6))
        guard isLeaf else { return key }
        return key + (half(page, node + 4) & Flag.bigData != 0 ? 8 : valueByteCount(page, node))
    }

    private static func valueByteCount(_ page: UnsafeRawBufferPointer, _ node: Int) -> Int {
        Int(half(page, node)) | Int(half(page, node + 2)) << 16
    }

    private static func key(_ page: UnsafeRawBufferPointer, _ node: Int) -> UnsafeRawBufferPointer {
        let start = node + nodeHeaderByteCount
        return UnsafeRawBufferPointer(rebasing: page[start..<(start + Int(half(page, node + 6)))])
    }

    private static func child(_ page: UnsafeRawBufferPointer, _ node: Int) -> UInt64 {
        UInt64(valueByteCount(page, node)) | UInt64(half(page, node + 4)) << 32
    }

    private func requireOrder(
        _ page: UnsafeRawBufferPointer, _ number: UInt64, _ nodes: [Int], _ level: Int,
        _ bounds: Bounds, isFreeList: Bool
    ) throws {
        // The first key of a branch is not used: its node has everything below the second key.
        let first = level == 1 ? 0 : 1
        for index in first..<nodes.count {
            let key = Self.key(page, nodes[index])
            guard !key.isEmpty, !isFreeList || key.count == 8 else {
                throw Damage(page: number, what: "a key has a wrong length")
            }
            let isAbove =
                index > first
                ? Self.order(Self.key(page, nodes[index - 1]), key, isFreeList) < 0
                : bounds.lower.isEmpty
                    || bounds.lower.withUnsafeBytes { Self.order($0, key, isFreeList) } <= 0
            let isBelow =
                bounds.upper.map { upper in
                    upper.withUnsafeBytes { Self.order(key, $0, isFreeList) } < 0
                } ?? true
            guard isAbove, isBelow else {
                throw Damage(page: number, what: "its keys are not in order")
            }
        }
    }

    /// Compares two keys; negative if `a` comes before `b`. Keys of the list of free pages are numbers.
    private static func order(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ isFreeList: Bool
    ) -> Int {
        if isFreeList {
            let (a, b) = (number(a, 0), number(b, 0))
            return a < b ? -1 : a == b ? 0 : 1
        }
        return compareKeys(a, b)
    }

    // MARK: Leaves

    private mutating func visitLeaf(
        _ page: UnsafeRawBufferPointer, _ node: Int, _ number: UInt64, isFreeList: Bool
    ) throws {
        let flags = Self.half(page, node + 4)
        guard flags & ~Flag.bigData == 0 else {
            throw Damage(page: number, what: "an entry has a kind that is not used here")
        }
        let byteCount = Self.valueByteCount(page, node)
        let start = node + Self.nodeHeaderByteCount + Int(Self.half(page, node + 6))
        guard flags != 0 else {
            let value = UnsafeRawBufferPointer(rebasing: page[start..<(start + byteCount)])
            if isFreeList { try visitFree(value, number) }
            return
        }
        let first = Self.number(page, start)
        let count = UInt64((Self.pageHeaderByteCount - 1 + byteCount) / meta.pageByteCount + 1)
        try reach(first, count)
        let length = isFreeList ? Self.pageHeaderByteCount + byteCount : Self.pageHeaderByteCount
        let bytes = try contents(first, byteCount: length)
        // Reading past the end of the mapped file raises SIGBUS, so the last page of the value must exist.
        _ = try contents(first + count - 1, byteCount: 1)
        try bytes.withUnsafeBytes { value in
            guard Self.number(value, 0) == first, Self.half(value, 10) == Flag.overflow,
                Self.half(value, 12) == UInt16(truncatingIfNeeded: count),
                Self.half(value, 14) == UInt16(truncatingIfNeeded: count >> 16)
            else { throw Damage(page: first, what: "it does not begin a long value") }
            if isFreeList {
                try visitFree(
                    UnsafeRawBufferPointer(rebasing: value[Self.pageHeaderByteCount...]), first)
            }
        }
    }

    /// Checks an entry of the list of free pages: a count, then the page numbers, the greatest first.
    private mutating func visitFree(_ value: UnsafeRawBufferPointer, _ page: UInt64) throws {
        let wrong = Damage(page: page, what: "its list of free pages is wrong")
        guard value.count >= 8, value.count % 8 == 0,
            Self.number(value, 0) == UInt64(value.count / 8 - 1)
        else { throw wrong }
        var former = UInt64.max
        for offset in stride(from: 8, to: value.count, by: 8) {
            let number = Self.number(value, offset)
            guard number < former else { throw wrong }
            former = number
            try reach(number, 1)
        }
    }

    // MARK: Bytes

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt16 {
        UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
}

/// A set of pages of a data file: a bit for each.
struct PageSet {
    private var words: [UInt64]

    /// An empty set of pages below `count`.
    init(count: UInt64) { words = [UInt64](repeating: 0, count: Int(count / 64) + 1) }

    /// Adds a page. Returns false if the set contains it already.
    mutating func insert(_ page: UInt64) -> Bool {
        let bit: UInt64 = 1 << (page % 64)
        defer { words[Int(page / 64)] |= bit }
        return words[Int(page / 64)] & bit == 0
    }
}
