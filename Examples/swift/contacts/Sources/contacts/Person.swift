import Holdfast

class Person: Object {
    @Persisted(indexed: true) var name = ""
    @Persisted var address: Address?
    @Persisted var friends: List<Person>

    /// Not stored, but made of what is.
    var initial: String { String(name.prefix(1)).uppercased() }
}

class Address: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var country = ""
}
