import HoldfastObjectJSON
import HoldfastObjectModel

/// The types of the members of JSON objects, with embedded classes for the objects within them.
struct ValueGuess {
    /// The embedded classes so far.
    private(set) var embedded: EmbeddedClasses
    private let time: GuessTime
    /// How deep objects are embedded; deeper ones are `mixed`.
    private static let depthMax = 8
    /// The members of an embedded class. Objects with more different names are dictionaries.
    private static let memberCountMax = 100
    /// From so many different names on, names that few objects have show that they are data.
    private static let keyCountMin = 16

    init(_ embedded: EmbeddedClasses, _ time: GuessTime) {
        self.embedded = embedded
        self.time = time
    }

    /// Guesses a property from the values of a member.
    ///
    /// - `objectCount`: The number of objects that might have the member.
    /// - `owner`: The class that gets the property.
    /// - Throws: ``RequestFault`` for a sample that takes too long, or needs too many embedded classes.
    mutating func property(
        _ members: SampleMembers, named name: String, of objectCount: Int, owner: String,
        depth: Int = 0
    ) throws(RequestFault) -> GuessedProperty {
        try time.check()
        var property = GuessedProperty(
            name: name, sourceName: members.name, type: .single(.scalar(.mixed)))
        let values = members.values.filter { !$0.isNull }
        property.isPresent = values.count == objectCount
        let hasNulls = values.count < members.values.count
        guard let first = values.first else {
            property.clauses = ["no object has a value, so it takes values of any kind"]
            return property
        }
        if case .list = first {
            try guess(list: values, hasNulls: hasNulls, &property, owner, depth)
        } else if case .object = first {
            try guess(objects: values, hasNulls: hasNulls, &property, owner, depth)
        } else {
            let guess = ScalarGuess(values)
            property.type = .single(.scalar(guess.scalar))
            property.clauses = [guess.clause]
            property.keyTexts = guess.keyTexts
            property.isOptional = !property.isPresent && guess.scalar != .mixed
            if property.isOptional {
                let missing = max(1, objectCount - values.count)
                property.clauses.append(
                    GuessWords.some(
                        missing, of: objectCount, "objects", "has no value", "have no value")
                        + ", so it is optional")
            }
        }
        return property
    }

    // MARK: Lists

    private mutating func guess(
        list values: [SampleValue], hasNulls: Bool, _ property: inout GuessedProperty,
        _ owner: String, _ depth: Int
    ) throws(RequestFault) {
        let lists = values.compactMap(\.elements)
        guard lists.count == values.count, !hasNulls else {
            property.clauses = [
                hasNulls && lists.count == values.count
                    ? "a list is never null, and some values are" : ScalarGuess.difference(values)
            ]
            return
        }
        let elements = lists.flatMap { $0 }
        let present = elements.filter { !$0.isNull }
        let lead = GuessWords.all(lists.count, "a list", "lists")
        property.type = .list(.scalar(.mixed))
        guard let first = present.first else {
            property.clauses = [lead, "no list has an element that shows a type"]
            return
        }
        switch first {
        case .list:
            property.clauses = [lead, "the elements are lists, which only 'mixed' elements can be"]
        case .object:
            let objects = elements.compactMap(\.members)
            guard objects.count == elements.count,
                let properties = try embed(
                    objects, EmbeddedClasses.name(owner, property.name), depth)
            else {
                property.clauses = [lead, "the elements are no objects of one form"]
                return
            }
            property.type = .list(
                .object(try embedded.add(properties, of: owner, property.name)))
            property.clauses = [lead + " of objects, which become embedded objects"]
        default:
            let guess = ScalarGuess(present)
            property.type = .list(.scalar(guess.scalar))
            property.isOptional = present.count < elements.count && guess.scalar != .mixed
            property.clauses = [lead, "in the lists " + guess.clause]
        }
    }

    // MARK: Objects

    private mutating func guess(
        objects values: [SampleValue], hasNulls: Bool, _ property: inout GuessedProperty,
        _ owner: String, _ depth: Int
    ) throws(RequestFault) {
        let objects = values.compactMap(\.members)
        guard objects.count == values.count else {
            property.clauses = [ScalarGuess.difference(values)]
            return
        }
        if PointForm.fits(objects) {
            property.type = .single(.object(embedded.point()))
            property.isOptional = true
            property.searchIndex = depth == 0 ? .geo : nil
            property.clauses = [
                GuessWords.all(objects.count, "a point of GeoJSON", "points of GeoJSON")
                    + (depth == 0 ? ", which an index finds by their position" : "")
            ]
            return
        }
        let name = EmbeddedClasses.name(owner, property.name)
        if let properties = try embed(objects, name, depth) {
            property.type = .single(
                .object(try embedded.add(properties, of: owner, property.name)))
            property.isOptional = true
            property.clauses = [
                GuessWords.all(objects.count, "an object", "objects")
                    + ", which becomes an embedded object"
            ]
            return
        }
        let entries = objects.flatMap { $0 }
        let present = entries.map(\.value).filter { !$0.isNull }
        let areKeys = entries.allSatisfy { entry in !entry.name.contains { ".$".contains($0) } }
        if !present.isEmpty, areKeys, !hasNulls {
            let guess = ScalarGuess(present)
            let arePlain = present.allSatisfy { $0.members == nil && $0.elements == nil }
            if arePlain, guess.scalar != .mixed {
                property.type = .map(.scalar(guess.scalar))
                property.isOptional = present.count < entries.count
                property.clauses = [
                    "the names of the objects are data, so it is a map",
                    "in the entries " + guess.clause,
                ]
                return
            }
        }
        property.clauses = ["the objects have no common form, so it takes values of any kind"]
    }

    /// Guesses the properties of an embedded class; nil for objects that are not of one form.
    ///
    /// - `name`: The class's name, of which inner classes make theirs.
    private mutating func embed(
        _ objects: [[SampleMember]], _ name: String, _ depth: Int
    ) throws(RequestFault) -> [GuessedProperty]? {
        let members = SampleMembers.collect(objects)
        guard depth < Self.depthMax, (1...Self.memberCountMax).contains(members.count),
            members.allSatisfy({ PropertyNames.isValid($0.name) })
        else { return nil }
        let rareCount = members.count(where: { $0.values.count * 2 < objects.count })
        if members.count > Self.keyCountMin, rareCount * 2 > members.count { return nil }
        var properties: [GuessedProperty] = []
        for member in members {
            properties.append(
                try property(
                    member, named: member.name, of: objects.count, owner: name, depth: depth + 1))
        }
        return properties
    }
}
