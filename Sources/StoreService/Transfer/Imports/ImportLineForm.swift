import Rows

/// What a line of an import says.
enum ImportLineForm {
    /// An object of this class.
    case object(RowClass)
    /// An object with its class: `{"class":…,"id":…,"object":{…}}`.
    case store
}
