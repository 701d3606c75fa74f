// Uses the client that openapi-generator makes for Go.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"example.org/store/client"
)

// key of a link that was not expanded.
func key(city *client.City) string {
	if text := city.Country.Get().String; text != nil {
		return *text
	}
	return "none"
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	store := client.NewAPIClient(configuration)
	background := context.Background()
	if len(os.Args) > 2 {
		callAll(store)
		return
	}

	read, _, err := store.CityAPI.GetCity(background, 1).Execute()
	check(err)
	fmt.Println("read", read.GetName(), key(read), *read.Rating.Get().Float64)

	city := client.NewCityNew()
	city.SetId(10)
	city.SetName("New")
	france, iceland, rating := "FR", "IS", 1.5
	city.SetCountry(client.StringAsCityInputCountry(&france))
	city.SetRating(client.Float64AsHoldfastDouble(&rating))
	reply, _, err := store.CityAPI.CreateCity(background).
		CreateCityRequest(client.CreateCityRequest{CityNew: city}).Execute()
	check(err)
	created := reply.City
	fmt.Println("created", created.GetName(), key(created), *created.Rating.Get().Float64)

	patch := client.NewCityPatch()
	patch.SetPopulation(7)
	patch.SetCountry(client.StringAsCityInputCountry(&iceland))
	changed, _, err := store.CityAPI.PatchCity(background, 10).CityPatch(*patch).Execute()
	check(err)
	fmt.Println("changed", changed.GetPopulation(), key(changed))

	put := client.NewHoldfastOperation("put")
	put.SetClass("Country")
	put.SetId("XN")
	put.SetRef("land")
	put.SetValue(map[string]interface{}{"name": "Newland"})
	link := client.NewHoldfastOperation("patch")
	link.SetClass("City")
	link.SetId(10)
	link.SetValue(map[string]interface{}{"country": map[string]string{"$ref": "land"}})
	done, _, err := store.TransactionsAPI.CreateTransaction(background).HoldfastTransaction(
		*client.NewHoldfastTransaction([]client.HoldfastOperation{*put, *link})).Execute()
	check(err)
	var results []string
	for _, result := range done.Results {
		results = append(results, fmt.Sprint(result.Class, " ", result.Id))
	}
	fmt.Println("transaction", strings.Join(results, ", "))

	expanded, _, err := store.CityAPI.GetCity(background, 10).Expand("country").Execute()
	check(err)
	fmt.Println("expanded", expanded.Country.Get().Country.GetName())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
