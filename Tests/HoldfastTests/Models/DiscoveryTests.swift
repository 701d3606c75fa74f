import Foundation
import Holdfast
import Testing

// Nothing refers to these classes. Their names are taken twice, so that a realm of all classes of the test bundle is refused by
// a message that names those that were found.

private enum Unused {
    final class Found: Object {
        @Persisted var a = 1
    }
    final class FoundInner: EmbeddedObject {
        @Persisted var a = 1
    }
    final class Excluded: Object {
        @Persisted var a = 1
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Generic<T: RealmCollectionValue>: Object {
        @Persisted var list: List<T>
    }
    final class OfInts: Generic<Int> {}
    enum Again {
        final class Found: Object {
            @Persisted var a = 1
        }
        final class FoundInner: EmbeddedObject {
            @Persisted var a = 1
        }
        final class Excluded: Object {
            @Persisted var a = 1
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        final class OfInts: Generic<String> {}
    }
}

@Suite("The classes of a program")
struct DiscoveryTests {
    @Test("are all that the test bundle has, private and unused ones too, but for those left out")
    func finds() throws {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: .init(inMemoryIdentifier: "\(UUID())"))
        }
        let message = try #require(error?.message)
        for name in ["Found", "FoundInner", "OfInts"] {
            #expect(message.contains("Class name '\(name)' is not unique: "))
        }
        #expect(message.contains(".Found' and '"))
        #expect(!message.contains("'Excluded'") && !message.contains("DynamicObject"))
        #expect(!message.contains("'Generic"))
    }
}
