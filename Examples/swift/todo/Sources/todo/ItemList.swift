import Holdfast

/// A list of tasks in an order of its own.
final class ItemList: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var items: List<Item>
}
