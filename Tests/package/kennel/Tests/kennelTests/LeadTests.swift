import Holdfast
import Testing

/// A class of the tests that nothing refers to.
class Leash: Object {
    @Persisted var length = 1.5
}

@Test("classes that nothing refers to are in a realm of a test bundle")
func findsClasses() throws {
    let realm = try Realm(configuration: .init(inMemoryIdentifier: "classes"))
    #expect(
        realm.schema.objectSchema.map(\.className).sorted() == ["Dog", "Lead", "Leash", "Person"])
}
