import Foundation

/// The elements of results by the keys of their sections, in one version.
struct SectionDivision<Key: RealmCollectionValue> {
    /// The keys, in the order in which they first appear.
    private(set) var keys: [Key] = []
    /// The positions of each section's elements in the results, in order.
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

    /// The position of each element, in the order of the results: its section, and its index there.
    var indexPaths: [IndexPath] {
        var paths = [IndexPath](repeating: [], count: positions.reduce(0) { $0 + $1.count })
        for (section, positions) in positions.enumerated() {
            for (item, position) in positions.enumerated() {
                paths[position] = IndexPath(item: item, section: section)
            }
        }
        return paths
    }

    /// The position of the section with a key; nil if no section has it.
    func section(of key: Key) -> Int? {
        // NaN is not equal to itself, but all NaN are one section.
        key == key ? sections[key] : keys.firstIndex { $0 != $0 }
    }
}
