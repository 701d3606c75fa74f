import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("What the change log says of lists")
struct ListEditsTests {
    private static let item = ObjectClass(
        name: "Item", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int))),
            Property(name: "list", type: .list(.scalar(.int))),
            Property(name: "other", type: .list(.scalar(.int))),
        ])

    /// An edit of a patch, and what it makes of the list; nil when it does not fit.
    private static func edit(
        _ list: inout [Int64], _ schema: RowSchema, _ random: inout SeededGenerator
    ) -> ObjectEdit? {
        let rowClass = schema.classes[0]
        func path(_ index: Int?, _ member: Int = 1) -> EditPath {
            var path = EditPath(rowClass)
            path.member = member
            path.element = index.map { .index($0) }
            return path
        }
        func draft(_ values: [Int64]) -> ObjectDraft {
            ObjectDraft(["list": .values(values.map { .int($0) })], rowClass, schema)
        }
        let value = Int64.random(in: 10...99, using: &random)
        let index = Int.random(in: 0...list.count, using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            list = (0..<Int.random(in: 0...10, using: &random)).map { _ in value }
            return ObjectEdit(path(nil), .place(draft(list), .put))
        case 1:
            // What is stated of the other list leaves this one as it is.
            let other = ObjectDraft(["other": .values([.int(value)])], rowClass, schema)
            return ObjectEdit(path(nil, 2), .place(other, .put))
        case 2...4 where index < list.count:
            list.remove(at: index)
            return ObjectEdit(path(index), .remove)
        case 5...7 where index < list.count:
            list[index] = value
            return ObjectEdit(path(index), .place(draft([value]), .put))
        case 8 where index < list.count:
            let to = Int.random(in: 0..<list.count, using: &random)
            list.insert(list.remove(at: index), at: to)
            return ObjectEdit(path(to), .move(from: path(index)))
        case 9 where index < list.count:
            let equal = list[index]
            list.removeAll { $0 == equal }
            var end = path(nil)
            end.element = .end
            return ObjectEdit(end, .removeEqual(draft([equal])))
        case 10...13:
            list.insert(value, at: index)
            return ObjectEdit(path(index), .place(draft([value]), .insert))
        default: return nil
        }
    }

    @Test(
        "the splices of a patch lead from the list before to the list after, whatever is in it",
        arguments: [false, true])
    func patches(isOutOfLine: Bool) throws {
        let seed = SeededGenerator.testSeed("splices of patches, \(isOutOfLine)")
        var random = SeededGenerator(seed: seed)
        var options = StoreOptions()
        if isOutOfLine { options.overflowLimits = .tiny }
        let store = try Shelter.open(.memory, options: options, classes: [Self.item])
        defer { store.close() }
        try store.put("Item", ["id": .value(.int(1))])
        var model: [Int64] = []
        var counts = (spliced: 0, replaced: 0)
        for step in 0..<SeededGenerator.scaled(600) {
            let old = model
            var edits: [ObjectEdit] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if let edit = Self.edit(&model, store.catalog.rows, &random) { edits.append(edit) }
            }
            let made = edits
            let before = store.version.number
            try store.write { transaction throws(StoreError) in
                let editor = try ObjectEditor(
                    transaction, transaction.catalog.rows.classes[0], key: 1, .none)
                for edit in made {
                    do throws(EditFailure) {
                        try editor.apply(edit, origin: [])
                    } catch {
                        throw .refused(error)
                    }
                }
                _ = try editor.finish()
            }
            let content = try #require(try store.contents().objects[Identity("Item", .int(1))])
            #expect(content.content["list"] == .values(model.map { .int($0) }))
            let found = try store.reading { transaction in
                let changes = try FoldedChanges(after: before, in: transaction, notesLists: true)
                return changes.edits(ofList: 1, of: ObjectIdentity(classIndex: 0, key: 1))
            }
            guard let found else {
                #expect(old == model, "step \(step) of seed \(seed)")
                continue
            }
            if found.isReplaced {
                counts.replaced += 1
                continue
            }
            counts.spliced += 1
            #expect(
                ListDifference(found.splices).applied(to: old, model) == model,
                "step \(step) of seed \(seed): \(found.splices) of \(old), now \(model)")
        }
        #expect(counts.spliced > 3 * counts.replaced && counts.replaced > 0, "\(counts)")
        #expect(try store.findings() == [])
    }

    @Test(
        "a list of embedded objects has changed where a long list within one of them loses a link",
        arguments: [200, 24])
    func withinEmbedded(byteCountMax: Int) throws {
        let classes = [
            ObjectClass(
                name: "Item", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(name: "parts", type: .list(.object("Part"))),
                ]),
            ObjectClass(
                name: "Part", kind: .embedded,
                properties: [Property(name: "lines", type: .list(.object("Line")))]),
            ObjectClass(
                name: "Line", kind: .embedded,
                properties: [
                    Property(name: "target", type: .single(.object("Target")), isOptional: true)
                ]),
            ObjectClass(
                name: "Target", primaryKey: "id",
                properties: [Property(name: "id", type: .single(.scalar(.int)))]),
        ]
        var options = StoreOptions()
        options.overflowLimits = .tiny
        options.overflowLimits.collectionByteCountMax = byteCountMax
        let store = try Shelter.open(.memory, options: options, classes: classes)
        defer { store.close() }
        let part = { (range: Range<Int64>) -> ObjectContent in
            ["lines": .embeddedList(range.map { ["target": .link("Target", .int($0))] })]
        }
        for id in 0..<Int64(40) { try store.put("Target", ["id": .value(.int(id))]) }
        try store.put(
            "Item", ["id": .value(.int(1)), "parts": .embeddedList([part(0..<40), part(0..<0)])])
        let insert = ObjectScript.Operation.edit(
            .insert(at: 2), "parts", of: Identity("Item", .int(1)), .embeddedList([part(0..<0)]))
        func delete(_ id: Int64) -> ObjectScript.Operation { .delete(Identity("Target", .int(id))) }
        let changed = ListSplice(0, removed: 1, inserted: 1)
        let inserted = ListSplice(2, removed: 0, inserted: 1)
        for (operations, splices) in [
            ([delete(3)], [changed]), ([delete(4), delete(5)], [changed]),
            ([insert, delete(6)], [inserted, changed]),
            ([delete(7), insert], [changed, inserted]),
            ([insert, .attempt([delete(8)])], [inserted, changed]),
        ] {
            let version = try store.run(operations)
            let edits = try store.reading { transaction in
                try FoldedChanges(after: version - 1, in: transaction, notesLists: true)
                    .edits(ofList: 1, of: ObjectIdentity(classIndex: 0, key: 1))
            }
            #expect(edits?.splices == splices, "\(operations)")
        }
    }

    @Test(
        "a list that is assigned with some elements more, some fewer or one other is not replaced")
    func assignments() throws {
        let store = try Shelter.open(.memory, classes: [Self.item])
        defer { store.close() }
        func edits(_ old: [Int64], _ new: [Int64]) throws -> ListEdits? {
            for list in [old, new] {
                try store.put(
                    "Item", ["id": .value(.int(1)), "list": .values(list.map { .int($0) })])
            }
            return try store.reading { transaction in
                let changes = try FoldedChanges(
                    after: store.version.number - 1, in: transaction, notesLists: true)
                return changes.edits(ofList: 1, of: ObjectIdentity(classIndex: 0, key: 1))
            }
        }
        func splice(_ index: Int, _ removed: Int, _ inserted: Int) -> ListSplice {
            ListSplice(index, removed: removed, inserted: inserted)
        }
        #expect(try edits([1, 2, 3], [1, 2, 3, 4, 5])?.splices == [splice(3, 0, 2)])
        #expect(try edits([1, 2, 3], [0, 1, 2, 3])?.splices == [splice(0, 0, 1)])
        #expect(try edits([1, 2, 3, 4], [1, 4])?.splices == [splice(1, 2, 0)])
        #expect(try edits([1, 2, 3, 4], [2, 4])?.splices == [splice(0, 1, 0), splice(1, 1, 0)])
        #expect(try edits([1, 2, 3], [1, 9, 3])?.splices == [splice(1, 1, 1)])
        #expect(try edits([1, 2, 3], [])?.splices == [splice(0, 3, 0)])
        #expect(try edits([1, 2, 3], [2, 3, 4])?.isReplaced == true)
        #expect(try edits([1, 2], [7, 8, 9])?.isReplaced == true)
        let many = Array(0..<Int64(300))
        #expect(try edits(many, many.filter { $0 % 2 == 0 })?.isReplaced == true)
    }
}
