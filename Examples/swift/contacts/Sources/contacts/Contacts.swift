import Holdfast

/// The contacts of a realm.
struct Contacts {
    let realm: Realm

    /// All cards by their initials.
    var pages: SectionedResults<String, Card> {
        realm.objects(Card.self)
            .sectioned(by: { $0.initial }, sortDescriptors: [SortDescriptor(keyPath: \Card.name)])
    }

    func card(_ name: String) throws -> Card {
        // The condition is one of the person's.
        guard let card = realm.objects(Card.self).where({ $0.name == name }).first else {
            throw Fault("there is no \(name)")
        }
        return card
    }

    func add(_ name: String, city: String?) throws {
        try realm.write {
            let address = city.map { ["city": $0] as [String: Any] }
            realm.create(Person.self, value: ["name": name, "address": address as Any])
        }
    }

    func befriend(_ name: String, _ friend: String) throws {
        let (person, other) = (try card(name).rootObject, try card(friend).rootObject)
        try realm.write {
            person.friends.append(other)
            other.friends.append(person)
        }
    }

    /// Writes through the card to its person.
    func rename(_ name: String, _ newName: String) throws {
        let card = try card(name)
        try realm.write { card.name = newName }
    }
}
