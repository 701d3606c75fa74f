import Foundation
@testable import Holdfast
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
                let turn = try opened.store.beginTurn()
                try turn.commit { opened.release() }
                _ = try turn.awaitCommit()
            }
        }
    }
}
