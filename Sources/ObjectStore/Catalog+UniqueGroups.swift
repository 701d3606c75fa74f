import Bytes
import ObjectModel
import Rows

/// Unique groups in the catalog's record, see ``Catalog/append(to:)``.
extension Catalog {
    /// The bit of a class's kind that says that groups follow its properties.
    static let groupsFlag: UInt8 = 0x80

    static func appendUniqueGroups(of stored: StoredClass, to buffer: ByteBuffer) {
        let definition = stored.definition
        guard !definition.uniqueGroups.isEmpty else { return }
        buffer.append(little: UInt32(definition.uniqueGroups.count))
        for (names, number) in zip(definition.uniqueGroups, stored.groupNumbers) {
            let members = names.compactMap { definition.propertyIndex(named: $0) }
            buffer.append(little: number)
            buffer.append(little: UInt32(members.count))
            for member in members { buffer.append(little: stored.propertyNumbers[member]) }
        }
    }

    /// Reads the groups of a class whose properties were read; false when they are damaged.
    static func readUniqueGroups(_ reader: inout ByteReader, into stored: inout StoredClass)
        -> Bool
    {
        guard let count = reader.read(UInt32.self), count <= ModelLimits.uniqueGroupCountMax else {
            return false
        }
        for _ in 0..<count {
            guard let number = reader.read(UInt32.self),
                let memberCount = reader.read(UInt32.self),
                memberCount <= ModelLimits.uniqueGroupPropertyCountMax
            else { return false }
            var names: [String] = []
            for _ in 0..<memberCount {
                guard let property = reader.read(UInt32.self),
                    let member = stored.propertyNumbers.firstIndex(of: property)
                else { return false }
                names.append(stored.definition.properties[member].name)
            }
            stored.groupNumbers.append(number)
            stored.definition.uniqueGroups.append(names)
        }
        return true
    }
}
