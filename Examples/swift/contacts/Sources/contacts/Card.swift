import Holdfast

/// What the program shows of a person: neither the address as a whole nor the friends themselves.
class Card: Projection<Person> {
    @Projected(\Person.name) var name
    @Projected(\Person.initial) var initial
    @Projected(\Person.address?.city) var city
    @Projected(\Person.friends.projectTo.name) var friendNames

    var line: String {
        let place = city.map { " in \($0)" } ?? ""
        let friends = friendNames.joined(separator: " and ")
        return name + place + (friends.isEmpty ? "" : ", a friend of \(friends)")
    }
}
