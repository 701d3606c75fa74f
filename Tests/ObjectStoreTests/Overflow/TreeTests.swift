import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

/// The chunks of a tree in a dictionary.
private final class ChunkTable: TreeChunks {
    var chunks: [[UInt8]: UnsafeRawBufferPointer] = [:]
    var failure: StorageError?
    var readCount = 0

    deinit { for chunk in chunks.values { chunk.deallocate() } }

    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        readCount += 1
        if let chunk = chunks[Array(key)] { return chunk }
        fail(StorageError(.corrupted, operation: "read chunk"))
        return nil
    }

    func put(_ key: UnsafeRawBufferPointer, _ chunk: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk.count, alignment: 8)
        copy.copyMemory(from: chunk)
        chunks.updateValue(UnsafeRawBufferPointer(copy), forKey: Array(key))?.deallocate()
    }

    func remove(_ key: UnsafeRawBufferPointer) {
        chunks.removeValue(forKey: Array(key))?.deallocate()
    }

    func fail(_ error: StorageError) { failure = failure ?? error }
}

/// A tree beside the array that it should equal.
private struct Pair {
    let chunks = ChunkTable()
    let editor: TreeEditor
    let storage: FieldStorage
    var model: [Value] = []

    init(_ storage: FieldStorage, _ limits: OverflowLimits = OverflowLimits()) {
        self.storage = storage
        let identity = ByteBuffer(capacity: 32)
        identity.appendZeros(OverflowReference.identityByteCount)
        editor = TreeEditor(identity, TreeHeader(version: 1), storage, limits, chunks)
    }

    func encode(_ values: [Value], _ buffer: ByteBuffer) -> LeafSlice {
        let builder = ScalarCollectionBuilder()
        builder.reset(storage.element)
        for value in values {
            switch value {
            case .int(let int): builder.append(InlineValue(int))
            case .string(var text):
                text.withUTF8 { builder.append(text: UnsafeRawBufferPointer($0)) }
            default: builder.appendNull()
            }
        }
        buffer.removeAll()
        builder.write(to: buffer, isSet: false)
        return LeafSlice(LeafView(buffer.bytes, storage), 0..<values.count)
    }

    func value(_ view: CollectionView, _ place: Int) -> Value {
        if view.isNull(place) { return .null }
        if storage.element == .int { return .int(view.pointer(place).storedInt) }
        return .string(String(decoding: view.bytes(place), as: UTF8.self))
    }

    /// What is wrong with the tree; nil when it is the array, and well-formed.
    func fault() -> String? {
        if let failure = chunks.failure { return "\(failure)" }
        var values: [Value] = []
        var leafCount = 0
        var isInOrder = true
        _ = editor.tree.forEachLeaf(from: 0) { leaf, first in
            leafCount += 1
            isInOrder = isInOrder && first == values.count && leaf.count > 0
            for place in 0..<leaf.count { values.append(value(leaf.values, place)) }
            return true
        }
        if values != model { return "\(values.count) elements, expected \(model.count)" }
        if editor.count != model.count { return "the count is \(editor.count)" }
        if !isInOrder { return "leaves are empty or out of order" }
        let byteCount = model.reduce(0) { sum, value in
            switch value {
            case .string(let text): sum + text.utf8.count
            case .int: sum + 8
            default: sum + (storage.element.fixedByteCount ?? 0)
            }
        }
        if editor.header.byteCount != byteCount {
            return "\(editor.header.byteCount) bytes, expected \(byteCount)"
        }
        var innerCount = 0
        func countInner(_ number: UInt32, _ level: UInt8) {
            guard level > 0 else { return }
            innerCount += 1
            let identity = [UInt8](repeating: 0, count: OverflowReference.identityByteCount)
            identity.withUnsafeBytes { identity in
                OverflowReference.withKey(identity, number) { key in
                    guard let node = chunks.overflowChunk(key).flatMap({ InnerNode($0) }) else {
                        return
                    }
                    for child in node.children { countInner(child.number, level - 1) }
                }
            }
        }
        if !model.isEmpty { countInner(editor.header.root, editor.header.height) }
        if chunks.chunks.count != leafCount + innerCount {
            return "\(chunks.chunks.count) chunks, \(leafCount) leaves, \(innerCount) nodes"
        }
        if let large = chunks.chunks.values.first(where: { $0.count > 4080 }),
            !model.contains(where: {
                if case .string(let text) = $0 { text.utf8.count > 3000 } else { false }
            })
        {
            return "a chunk of \(large.count) bytes"
        }
        return nil
    }
}

@Suite("out-of-line collections: the tree")
struct TreeTests {
    private static let listOfInts = FieldStorage(.list, .int)
    private static let listOfStrings = FieldStorage(.list, .string)

    @Test(
        "random changes of a tree are those of an array",
        arguments: [1, 2, 3, 4] as [UInt64])
    func randomChanges(_ salt: UInt64) {
        let storage = salt % 2 == 0 ? Self.listOfStrings : Self.listOfInts
        let seed = SeededGenerator.testSeed("tree \(salt)") &+ salt
        var generator = SeededGenerator(seed: seed)
        var limits = OverflowLimits()
        if salt > 2 {
            limits.leafByteCountMax = 200
            limits.childCountMax = 8
        }
        var pair = Pair(storage, limits)
        let buffer = ByteBuffer()
        func random() -> Value {
            if Int.random(in: 0..<20, using: &generator) == 0 { return .null }
            if storage.element == .int {
                return .int(.random(in: .min ... .max, using: &generator))
            }
            let isLong = Int.random(in: 0..<200, using: &generator) == 0
            let count = Int.random(in: 0...(isLong ? 9000 : 60), using: &generator)
            return .string(String(repeating: "x", count: count))
        }
        func remainder(_ value: Value) -> Int {
            switch value {
            case .int(let int): Int(int.magnitude % 16)
            case .string(let text): text.utf8.count % 16
            default: 15
            }
        }
        func values(of pair: Pair) -> [Value] {
            var values: [Value] = []
            StoredCollection(pair.editor.tree).forEach(within: nil) { part, place, _ in
                values.append(pair.value(part, place))
                return true
            }
            return values
        }
        var isGrowing = true
        for step in 0..<2000 {
            if step % 500 == 499 { isGrowing.toggle() }
            let count = pair.model.count
            let roll = Int.random(in: 0..<10, using: &generator)
            if count == 0 || roll < (isGrowing ? 6 : 2) {
                let many = Int.random(in: 0..<12, using: &generator) == 0
                let values = (0..<(many ? Int.random(in: 0..<900, using: &generator) : 1)).map {
                    _ in
                    random()
                }
                let index = roll == 0 ? count : Int.random(in: 0...count, using: &generator)
                pair.editor.insert(pair.encode(values, buffer), at: index)
                pair.model.insert(contentsOf: values, at: index)
            } else if roll < 8, !isGrowing || roll == 7 {
                let index = Int.random(in: 0..<count, using: &generator)
                pair.editor.remove(at: index)
                pair.model.remove(at: index)
            } else {
                let index = Int.random(in: 0..<count, using: &generator)
                let value = random()
                pair.editor.replace(at: index, by: pair.encode([value], buffer))
                pair.model[index] = value
            }
            if !isGrowing, count > 400, roll == 9 {
                let odd = Int.random(in: 0..<3, using: &generator)
                _ = pair.editor.removeAll { view, place in
                    remainder(pair.value(view, place)) == odd
                }
                pair.model.removeAll { remainder($0) == odd }
            }
            if step % 250 == 0 || pair.model.count < 3, let fault = pair.fault() {
                Issue.record("seed \(seed), step \(step): \(fault)")
                return
            }
        }
        // Down to nothing, part by part.
        while pair.model.count > 2_000 {
            _ = pair.editor.removeAll { _, place in place % 2 == 0 }
            pair.model = values(of: pair)
        }
        while !pair.model.isEmpty {
            let index = Int.random(in: 0..<pair.model.count, using: &generator)
            pair.editor.remove(at: index)
            pair.model.remove(at: index)
        }
        #expect(pair.fault() == nil, "seed \(seed), emptied")
        #expect(pair.chunks.chunks.isEmpty, "seed \(seed)")
    }

    @Test("a million elements are reached, changed and paged by reading a few chunks")
    func million() {
        let pair = Pair(Self.listOfInts)
        let buffer = ByteBuffer()
        pair.editor.insert(pair.encode((0..<1_000_000).map { .int($0) }, buffer), at: 0)
        #expect(pair.editor.count == 1_000_000)
        #expect(pair.editor.header.height == 2)
        pair.chunks.readCount = 0
        for index in [0, 1, 499_999, 999_999] {
            #expect(
                pair.editor.tree.leaf(at: index).map {
                    pair.value($0.leaf.values, index - $0.first)
                } == .int(Int64(index)))
        }
        #expect(pair.chunks.readCount == 12)
        pair.chunks.readCount = 0
        for step in 0..<1000 {
            pair.editor.insert(pair.encode([.int(Int64(-step))], buffer), at: 500_000)
        }
        #expect(pair.chunks.readCount <= 4_000)
        #expect(pair.editor.count == 1_001_000)
        var page: [Value] = []
        pair.chunks.readCount = 0
        StoredCollection(pair.editor.tree).forEach(from: 500_990, within: nil) {
            part, place, index in
            page.append(pair.value(part, place))
            return page.count < 20
        }
        #expect(page.prefix(3) == [.int(-9), .int(-8), .int(-7)])
        #expect(page.last == .int(500_009))
        #expect(pair.chunks.readCount <= 6)
        #expect(pair.chunks.failure == nil)
    }

    @Test("appended elements leave full leaves behind")
    func appending() {
        var pair = Pair(Self.listOfInts)
        let buffer = ByteBuffer()
        for number in 0..<20_000 {
            pair.editor.insert(pair.encode([.int(Int64(number))], buffer), at: number)
        }
        pair.model = (0..<20_000).map { .int($0) }
        #expect(pair.fault() == nil)
        #expect(pair.chunks.chunks.count <= 20_000 * 8 / 3_800)
    }

    @Test("elements in order are found by their value")
    func lowerBound() {
        let pair = Pair(FieldStorage(.set, .int))
        let buffer = ByteBuffer()
        let probe = ByteBuffer()
        pair.editor.insert(pair.encode((0..<100_000).map { .int($0 * 2) }, buffer), at: 0)
        let order = SetOrder()
        for value in [-5, 0, 1, 2, 99_998, 100_001, 199_998, 199_999] as [Int64] {
            let wanted = pair.encode([.int(value)], probe).leaf.values
            let found = pair.editor.tree.lowerBound { leaf, place in
                order.compare(leaf.values, place, wanted, 0)
            }
            #expect(found?.isEqual == (value >= 0 && value % 2 == 0))
            #expect(found?.index == Int(max(0, (value + 1) / 2)))
        }
    }
}
