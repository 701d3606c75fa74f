import Foundation
import Holdfast
import Testing

/// Classes that no realm can have.
enum Wrong {
    final class TwoKeys: Object {
        @Persisted(primaryKey: true) var a: Int
        @Persisted(primaryKey: true) var b: Int
    }
    final class Required: Object {
        @Persisted var link: Dog
    }
    final class OptionalElements: Object {
        @Persisted var list: List<Dog?>
    }
    final class NoOrigin: Object {
        @Persisted var origins: LinkingObjects<Dog>
    }
}

/// Two versions of a class.
enum Before {
    final class Plan: Object {
        @Persisted var title = ""
        @Persisted var size: Int
    }
}
enum After {
    final class Plan: Object {
        @Persisted var title = ""
        @Persisted var size: String
    }
    enum More {
        final class Plan: Object {
            @Persisted(indexed: true) var title = ""
            @Persisted var size: Int
            @Persisted var note: String?
        }
    }
}

@Suite("Classes of a realm")
struct SchemaTests {
    private func message(_ types: ObjectBase.Type...) -> String {
        do {
            _ = try Realm(
                configuration: .init(
                    inMemoryIdentifier: "\(UUID())",
                    objectTypes: types + [Dog.self, Person.self, Address.self]))
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("with faults are refused when the realm is opened, with all of them")
    func faults() {
        #expect(
            message(Wrong.TwoKeys.self).contains(
                "Properties 'a' and 'b' are both marked as the primary key of 'TwoKeys'."))
        let all = message(Wrong.Required.self, Wrong.OptionalElements.self, Wrong.NoOrigin.self)
        #expect(all.contains("Object property 'link' must be marked as optional."))
        #expect(all.contains("List<Dog> property 'list' must not be marked as optional."))
        #expect(all.contains("must set the origin property name with @Persisted(originProperty: "))
    }

    @Test("of one name are refused, and both are named")
    func names() {
        let text = message(Before.Plan.self, After.Plan.self)
        #expect(text.contains("Before.Plan") && text.contains("After.Plan"))
    }

    @Test("take new properties and indexes without a version, and other types only with one")
    func changes() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "realm-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let realm = try Realm(
                configuration: .init(fileURL: folder, objectTypes: [Before.Plan.self]))
            try realm.write { realm.add(Before.Plan(value: ["house", 3])) }
        }
        do {
            let realm = try Realm(
                configuration: .init(fileURL: folder, objectTypes: [After.More.Plan.self]))
            let plan = try #require(
                realm.objects(After.More.Plan.self).filter("title == 'house'").first)
            #expect(plan.size == 3 && plan.note == nil)
        }
        let error = #expect(throws: Realm.Error.self) {
            _ = try Realm(configuration: .init(fileURL: folder, objectTypes: [After.Plan.self]))
        }
        #expect(error?.code == .schemaMismatch)
        #expect(
            error?.message.contains("Property 'Plan.size' has been changed from 'int' to 'string'.")
                == true)
    }

    @Test("that need a migration empty the store where the configuration says so, and only then")
    func deletes() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "realm-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        func realm(_ type: Object.Type, _ version: UInt64) throws -> Realm {
            try Realm(
                configuration: .init(
                    fileURL: folder, schemaVersion: version, deleteRealmIfMigrationNeeded: true,
                    objectTypes: [type, Note.self]))
        }
        do {
            let realm = try realm(Before.Plan.self, 2)
            try realm.write { realm.add([Before.Plan(value: ["house", 3]), Note()]) }
        }
        do {
            let realm = try realm(After.More.Plan.self, 2)
            #expect(realm.objects(After.More.Plan.self).count == 1)
        }
        do {
            let realm = try realm(After.Plan.self, 2)
            #expect(realm.isEmpty)
            try realm.write { realm.add(Note()) }
        }
        #expect(try realm(After.Plan.self, 1).isEmpty)
        let refused = #expect(throws: Realm.Error.self) {
            _ = try Realm(
                configuration: .init(
                    fileURL: folder, readOnly: true, deleteRealmIfMigrationNeeded: true))
        }
        #expect(
            refused?.message == "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
    }
}
