import Foundation
import Holdfast

/// A call that a realm's own thread alone may make.
enum Entrance: String, CaseIterable, Codable {
    case slot, text, assignment, isInvalidated, freezing, origins, list, set, map, count
    case areInvalidated, filter, sort, objects, find, refresh, invalidate, begin, freezingAll
    case isInWrite, reference, autorefresh, asyncWrite

    func run(_ things: Shared.Things) {
        switch self {
        case .slot: _ = things.dog.weight
        case .text: _ = things.dog.name
        case .assignment: things.dog.name = "Bo"
        case .isInvalidated: _ = things.dog.isInvalidated
        case .freezing: _ = things.dog.freeze()
        case .origins: _ = things.dog.keepers.count
        case .list: _ = things.person.dogs.count
        case .set: _ = things.person.tags.count
        case .map: _ = things.person.marks["a"]
        case .count: _ = things.results.count
        case .areInvalidated: _ = things.results.isInvalidated
        case .filter: _ = things.results.filter("name == 'Rex'")
        case .sort: _ = things.results.sorted(byKeyPath: "name")
        case .objects: _ = things.realm.objects(Dog.self)
        case .find: _ = things.realm.object(ofType: Dog.self, forPrimaryKey: 1)
        case .refresh: _ = things.realm.refresh()
        case .invalidate: things.realm.invalidate()
        case .begin: things.realm.beginWrite()
        case .freezingAll: _ = things.realm.freeze()
        case .isInWrite: _ = things.realm.isInWriteTransaction
        case .reference: _ = ThreadSafeReference(to: things.dog)
        case .autorefresh: things.realm.autorefresh = false
        case .asyncWrite: things.realm.writeAsync {}
        }
    }
}
