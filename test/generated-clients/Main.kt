// A small app in Kotlin with the generated client: registers, creates an activity and reads numbers that need 64 bits.

import java.util.UUID
import org.openapitools.client.apis.ActivitiesApi
import org.openapitools.client.apis.ActivitiesApi.SortActivitiesList
import org.openapitools.client.apis.ProfileApi
import org.openapitools.client.apis.SigningInApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.CreateActivity
import org.openapitools.client.models.Registration

fun main(args: Array<String>) {
    val url = args[0]
    val device = UUID.randomUUID().toString()
    val account = Registration(username = "kotlin", password = "correct horse battery")
    val login = SigningInApi(url).authRegister(account, xDeviceId = device).data
    ApiClient.apiKey["X-Device-Id"] = device
    ApiClient.accessToken = login.accessToken

    val activities = ActivitiesApi(url)
    val start = System.currentTimeMillis() + 3_600_000
    val created = activities.activitiesCreate(CreateActivity(name = "Fair", startTime = start, endTime = start + 7_200_000)).data
    check(created.startTime == start) { "starts at ${created.startTime} instead of $start" }
    val listed = activities.activitiesList(sort = SortActivitiesList.NAME_DESCENDING).data
    check(listed.items.map { it.id } == listOf(created.id)) { "lists ${listed.items}" }
    val deleted = activities.activitiesDelete(created.id).data
    check(deleted == null) { "deleting answered $deleted" }

    val limit = ProfileApi(url).profileQuotas().data.storage.limit
    check(limit == args[1].toLong()) { "the quota is $limit" }
}
