@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("The organs of a write transaction")
struct TransactionPartsTests {
    /// An object's record, as a model keeps it.
    private struct Record: Equatable {
        var kind: ChangeRecord.Kind
        var properties: Set<UInt32> = []
        var primaryKey: [UInt8] = []
        var former: [UInt32: [UInt8]] = [:]
    }

    private func records(_ recorder: borrowing ChangeRecorder) -> [UInt64: Record] {
        var records: [UInt64: Record] = [:]
        for change in recorder.changes {
            #expect(records[change.key] == nil)
            records[change.key] = Record(
                kind: change.kind, properties: Set(change.properties),
                primaryKey: change.primaryKey,
                former: Dictionary(
                    uniqueKeysWithValues: change.former.map { ($0.property, $0.tagged) }))
        }
        return records
    }

    private func former(_ member: RowClass.Member, _ value: UInt8) -> PastValue {
        PastValue(property: member.number, tagged: [1, value])
    }

    /// Changes one object, new or not, as a transaction can.
    private func change(
        _ recorder: inout ChangeRecorder, _ model: inout [UInt64: Record], _ rowClass: RowClass,
        _ random: inout SeededGenerator
    ) {
        let key = UInt64.random(in: 1...60, using: &random)
        if model[key]?.kind == .delete { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where model[key] == nil:
            recorder.inserted(rowClass, key)
            model[key] = Record(kind: .insert)
        case 1:
            let former = rowClass.members.map { self.former($0, 9) }
            recorder.deleted(rowClass, key, primaryKey: [1, UInt8(key)], former: former)
            var record = Record(kind: .delete, primaryKey: [1, UInt8(key)])
            if model[key]?.kind != .insert {
                for value in former { record.former[value.property] = value.tagged }
                record.former.merge(model[key]?.former ?? [:]) { $1 }
            }
            model[key] = record
        default:
            let member = Int.random(in: rowClass.members.indices, using: &random)
            var members = MemberSet()
            members.insert(member)
            let former = self.former(
                rowClass.members[member], UInt8.random(in: 0..<9, using: &random))
            recorder.updated(rowClass, key, members, lists: [], former: [former])
            if model[key]?.kind == .insert { return }
            var record = model[key] ?? Record(kind: .update)
            if record.properties.insert(former.property).inserted {
                record.former[former.property] = former.tagged
            }
            model[key] = record
        }
    }

    @Test("changes are recorded once for each object, and those of a failed attempt are taken back")
    func recorder() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let rowClass = store.catalog.rows.classes[0]
        var random = SeededGenerator(seed: SeededGenerator.testSeed("change recorder"))
        for _ in 0..<SeededGenerator.scaled(60) {
            var recorder = ChangeRecorder()
            var model: [UInt64: Record] = [:]
            for _ in 0..<30 {
                change(&recorder, &model, rowClass, &random)
                let before = (count: recorder.changes.count, model: model)
                recorder.undo.open()
                for _ in 0..<Int.random(in: 0..<6, using: &random) {
                    change(&recorder, &model, rowClass, &random)
                }
                if Bool.random(using: &random) {
                    recorder.rollBack(to: before.count)
                    model = before.model
                }
                recorder.undo.close()
                #expect(records(recorder) == model)
            }
            recorder.removeAll()
            #expect(recorder.changes.isEmpty)
        }
    }

    @Test(
        "links wait for their targets in the order of their sources, and as before a failed attempt"
    )
    func pendingLinks() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let rows = store.catalog.rows
        var random = SeededGenerator(seed: SeededGenerator.testSeed("pending links"))
        for _ in 0..<SeededGenerator.scaled(60) {
            var links = PendingLinks()
            var model: [ObjectIdentity: [Int]] = [:]
            var source = 0
            func change() {
                let target = ObjectIdentity(
                    classIndex: 0, key: UInt64.random(in: 1...5, using: &random))
                if Int.random(in: 0..<3, using: &random) == 0 {
                    links.remove(to: target)
                    model[target] = nil
                } else {
                    links.add(to: target, from: WriteOrigin(source: source))
                    model[target, default: []].append(source)
                    source += 1
                }
                #expect(links.contains(target) == (model[target] != nil))
            }
            for _ in 0..<20 {
                change()
                let before = model
                links.undo.open()
                for _ in 0..<Int.random(in: 0..<6, using: &random) { change() }
                if Bool.random(using: &random) {
                    links.rollBack()
                    model = before
                }
                links.undo.close()
                #expect(links.isEmpty == model.isEmpty)
                #expect(links.dangling(rows).map(\.source) == model.values.joined().sorted())
            }
        }
    }
}
