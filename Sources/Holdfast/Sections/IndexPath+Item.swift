import Foundation

extension IndexPath {
    /// Makes the path of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// Makes the path of a row in a section.
    public init(row: Int, section: Int) { self.init(item: row, section: section) }

    /// The position of the section. Ends the process if there is no section.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The position within the section. Ends the process if there is no position.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The position within the section. Ends the process if there is no position.
    public var row: Int {
        get { item }
        set { item = newValue }
    }
}
