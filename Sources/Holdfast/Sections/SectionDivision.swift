import Foundation

/// The elements of results by the keys of their sections, in one version.
struct SectionDivision<Key: RealmCollectionValue> {
    /// The keys, in the order in which they first appear.
    private(set) var keys: [Key] = []
    /// Of each section the positions of its elements in the results, in order.
    private(set) var positions: [[Int]] = []
    private var sections: [Key: Int] = [:]

    /// Divides elements by their keys, in their order.
    init(_ elementKeys: some Sequence<Key>) {
        for (position, key) in elementKeys.enumerated() {
            let section = section(of: key) ?? keys.count
            if section == keys.count {
                keys.append(key)
                positions.append([])
                sections[key] = section
            }
            positions[section].append(position)
        }
    }

    /// Of each element, in the order of the results, where it stands.
    var indexPaths: [IndexPath] {
        var paths = [IndexPath](repeating: [], count: positions.reduce(0) { $0 + $1.count })
        for (section, positions) in positions.enumerated() {
            for (item, position) in positions.enumerated() {
                paths[position] = IndexPath(item: item, section: section)
            }
        }
        return paths
    }

    /// The position of the section with a key; nil where there is none.
    func section(of key: Key) -> Int? {
        // A number that is none is not equal to itself, and those are one section, too.
        key == key ? sections[key] : keys.firstIndex { $0 != $0 }
    }
}
