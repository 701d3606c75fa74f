import Foundation
@testable import Holdfast
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@Suite("Stores that realms share")
struct OpenedStoreTests {
    @Test("are closed also where the writer's thread lets go of the last realm")
    func closing() throws {
        let directory = TemporaryDirectory()
        for configuration in [
            Realm.Configuration(fileURL: URL(fileURLWithPath: directory.path + "/a.realm")),
            Realm.Configuration(inMemoryIdentifier: "let go of by the writer"),
        ] {
            for _ in 0..<3 {
                let opened = try OpenedStore.open(configuration)
                let turn = try opened.store.beginInteractiveWrite()
                try turn.commit { opened.release() }
                _ = try turn.awaitCommit()
            }
        }
    }

    @Test("are above the rules of users, whatever the access document says")
    func aboveRules() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "above rules", objectTypes: [Note.self])
        let realm = try Realm(configuration: configuration)
        let opened = try OpenedStore.open(configuration)
        defer { opened.release() }
        let turn = try opened.store.beginInteractiveWrite()
        turn.transaction.putAccessDocument(
            StoredDocument(revision: 1, text: #"{"roles":{}}"#))
        _ = try turn.commit() as UInt64
        try realm.write { realm.add(Note()) }
        #expect(realm.objects(Note.self).count == 1)
    }
}
