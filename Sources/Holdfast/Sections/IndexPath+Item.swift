import Foundation

extension IndexPath {
    /// The way to an item of a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The way to a row of a section.
    public init(row: Int, section: Int) { self.init(item: row, section: section) }

    /// The position of the section; ends the process where there is none.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The position within the section; ends the process where there is none.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The position within the section; ends the process where there is none.
    public var row: Int {
        get { item }
        set { item = newValue }
    }
}
