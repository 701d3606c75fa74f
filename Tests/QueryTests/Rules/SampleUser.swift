import HoldfastObjectModel
import HoldfastQuery

/// A user of the sample world: with an id, claims, and perhaps an object of the class of people.
struct SampleUser: UserFacts {
    var id = "7"
    var claims: [String: UserValue] = [:]
    var world: World?
    var person: Person?

    func value(of reference: UserReference) -> UserValue? {
        switch reference {
        case .id: return .one(.string(id))
        case .claim(let names): return claims[names.joined(separator: "/")]
        case .object(let path):
            guard let world, let person,
                let row = world.row(classIndex: 0, key: person.key)
            else { return nil }
            return PathValues.read(
                path, of: row, key: person.key, from: world, schema: World.schema)
        }
    }
}
